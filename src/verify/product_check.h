// How a candidate's matrix product, and what else is sums, is judged beside, or instead of, its
// comparison with a result in double.
#pragma once

#include <optional>
#include <string>

#include "verify/decide.h"
#include "verify/oracle.h"
#include "verify/product.h"

namespace assay {

// The product that a problem is said to be, at the precision that it is run at. None where the
// problem is not this one after all: then it is judged as any other.
std::optional<ProductShape> product_of(const std::optional<ProductShape>& said,
                                       const ProblemDescription& problem);

// The same of other sums. None of whole numbers, which are exact or wrong.
std::optional<SumShape> sums_of(const std::optional<SumShape>& said,
                                const ProblemDescription& problem);

// Whether C is judged by probes: where its result in double would cost more than all the rest.
bool is_probed(const std::optional<ProductShape>& shape);

// Why sums of this product of whole numbers are not exact in every order; "": they are.
std::string why_not_exact(const Product& product);

struct ProductRound {
  Product product;
  const SampledSums* sampled = nullptr;  // of `product`
  RandomStream samples;                  // by which these were chosen
  RandomStream stream;                   // secret: of this window
  Family family = Family::own;
  int threads = 1;
  bool probed = false;
  bool integers_proven = false;
};

// Adds what is known of C as a product, to an output that has its values. Probed, it has no figures
// and no exact values yet, and gets its figures here.
void check_product(const ProductRound& round, OutputFigures& output);

// Of what is sums, and no product that is judged as one.
struct SumRound {
  int64_t terms = 1;  // of each sum
  const SampledSums* sampled = nullptr;
  Family family = Family::own;
};

// Holds some elements to the bound of their sums, of an output that has its figures.
void check_sums(const SumRound& round, OutputFigures& output);

// What the exact result moves by when inputs do: as compare.h has it, by probes.
void find_product_sensitivity(const ProductRound& round, const Product& moved,
                              OutputFigures& output);

}  // namespace assay

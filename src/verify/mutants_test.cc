// Candidates that are wrong in known ways, and honest ones, through families, comparison and
// decision: the rule that must catch each is written beside it.
#include <gtest/gtest.h>

#include <bit>

#include "fakes/small_kernels.h"

namespace assay::small {
namespace {

Function dots(Dot dot) {
  return [dot = std::move(dot)](const Inputs& in) { return product(in, dot); };
}

Function rows(size_t outputs, Row<float> row) {
  return [=, row = std::move(row)](const Inputs& in) { return by_row<float>(in[0], outputs, row); };
}

float dot_in(Dtype inputs, Dtype sums, const float* a, const float* b) {
  float sum = 0;
  for (size_t k = 0; k < kK; ++k)
    sum = through(sums, sum + through(inputs, a[k]) * through(inputs, b[k]));
  return sum;
}

float tf32(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  return std::isfinite(value) ? std::bit_cast<float>((bits + 0x1000) & 0xffffe000u) : value;
}

struct Mutant {
  const char* name;
  const char* problem;
  Function candidate;
  std::optional<Rule> rule;  // none: honest
};

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  auto add = [&](const char* name, const char* problem, Function candidate,
                 std::optional<Rule> rule = std::nullopt) {
    all.push_back({name, problem, std::move(candidate), rule});
  };
  for (const char* matmul : {"matmul", "matmul_normal"}) {
    add("in order", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = 0; k < kK; ++k) sum += a[k] * b[k];
          return sum;
        }));
    add("backwards", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = kK; k-- > 0;) sum += a[k] * b[k];
          return sum;
        }));
    add("fused multiply-add", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = 0; k < kK; ++k) sum = std::fma(a[k], b[k], sum);
          return sum;
        }));
    add("split k", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t first = 0; first < kK; first += 100) {
            float part = 0;
            for (size_t k = first; k < std::min(first + 100, kK); ++k) part += a[k] * b[k];
            sum += part;
          }
          return sum;
        }));
    add("pairwise", matmul, dots([](const float* a, const float* b) {
          std::function<float(size_t, size_t)> half = [&](size_t first, size_t count) -> float {
            if (count == 1) return a[first] * b[first];
            return half(first, count / 2) + half(first + count / 2, count - count / 2);
          };
          return half(0, kK);
        }));
    add("Kahan", matmul, dots([](const float* a, const float* b) {
          float sum = 0, lost = 0;
          for (size_t k = 0; k < kK; ++k) {
            float term = a[k] * b[k] - lost, next = sum + term;
            lost = std::isfinite(next) ? (next - sum) - term : 0;
            sum = next;
          }
          return sum;
        }));
    add("in double", matmul, dots([](const float* a, const float* b) {
          double sum = 0;
          for (size_t k = 0; k < kK; ++k) sum += static_cast<double>(a[k]) * b[k];
          return static_cast<float>(sum);
        }));
    add("three bf16 products", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = 0; k < kK; ++k) {
            if (!std::isfinite(a[k] * b[k]) || std::fabs(a[k]) < 0x1p-60F) {
              sum += a[k] * b[k];
              continue;
            }
            float parts_a[3], parts_b[3], rest_a = a[k], rest_b = b[k], term = 0;
            for (int i = 0; i < 3; ++i) {
              rest_a -= parts_a[i] = through(Dtype::bf16, rest_a);
              rest_b -= parts_b[i] = through(Dtype::bf16, rest_b);
            }
            for (int i = 2; i >= 0; --i)
              for (int j = 0; j <= i; ++j) term += parts_a[j] * parts_b[i - j];
            sum += term;
          }
          return sum;
        }));
    add("bf16 inside", matmul,
        dots([](const float* a, const float* b) { return dot_in(Dtype::bf16, Dtype::f32, a, b); }),
        Rule::precision);
    add("f16 sums", matmul,
        dots([](const float* a, const float* b) { return dot_in(Dtype::f32, Dtype::f16, a, b); }),
        Rule::non_finite);
    add("tf32 inside", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = 0; k < kK; ++k) sum += tf32(a[k]) * tf32(b[k]);
          return sum;
        }),
        Rule::precision);
    add("drops the last k", matmul,
        dots([](const float* a, const float* b) { return lanes_dot(a, b, kK - 1); }),
        std::string_view(matmul) == "matmul" ? Rule::wrong : Rule::non_finite);
    add("drops the last k unless it is odd", matmul, dots([](const float* a, const float* b) {
          return lanes_dot(a, b, std::isfinite(a[kK - 1] * b[kK - 1]) ? kK - 1 : kK);
        }),
        Rule::wrong);
    add("skips small numbers", matmul, dots([](const float* a, const float* b) {
          float sum = 0;
          for (size_t k = 0; k < kK; ++k) sum += std::fabs(a[k]) < 1e-3F ? 0 : a[k] * b[k];
          return sum;
        }),
        Rule::wrong);
    add(
        "the last row is not computed", matmul,
        [](const Inputs& in) {
          auto result =
              product(in, [](const float* a, const float* b) { return lanes_dot(a, b, kK); });
          for (size_t j = 0; j < kN; ++j) result[(kM - 1) * kN + j] = 0;
          return result;
        },
        Rule::non_finite);
    add(
        "ignores an input", matmul,
        [](const Inputs& in) {
          Inputs other = in;
          std::ranges::fill(other[1], 0.5F);
          return product(other, [](const float* a, const float* b) { return lanes_dot(a, b, kK); });
        },
        std::string_view(matmul) == "matmul" ? Rule::wrong : Rule::non_finite);
  }
  using Kept = std::pair<Inputs, Floats32>;
  add(
      "keeps its result while one factor is the same", "matmul_normal",
      [kept = std::make_shared<Kept>()](const Inputs& in) {
        if (kept->first.empty() || kept->first[0] != in[0])
          *kept = {in,
                   product(in, [](const float* a, const float* b) { return lanes_dot(a, b, kK); })};
        return kept->second;
      },
      Rule::wrong);
  add("online", "softmax", rows(kColumns, [](const float* in, float* out) {
        float most = -INFINITY, sum = 0;
        for (size_t j = 0; j < kColumns; ++j) {
          float next = in[j] > most || in[j] != in[j] ? in[j] : most;
          sum = (next == most ? sum : sum * std::exp(most - next)) + std::exp(in[j] - next);
          most = next;
        }
        for (size_t j = 0; j < kColumns; ++j) out[j] = std::exp(in[j] - most) / sum;
      }));
  add("times the reciprocal", "softmax", rows(kColumns, [](const float* in, float* out) {
        softmax(in, out);
        float sum = 0, most = *std::max_element(in, in + kColumns);
        if (!std::isfinite(std::accumulate(in, in + kColumns, 0.0F))) return;
        for (size_t j = 0; j < kColumns; ++j) sum += out[j] = std::exp(in[j] - most);
        for (size_t j = 0; j < kColumns; ++j) out[j] *= 1 / sum;
      }));
  add("without the maximum", "softmax",
      rows(kColumns,
           [](const float* in, float* out) {
             float sum = 0;
             for (size_t j = 0; j < kColumns; ++j) sum += out[j] = std::exp(in[j]);
             for (size_t j = 0; j < kColumns; ++j) out[j] /= sum;
           }),
      Rule::non_finite);
  add("1 / n", "softmax",
      rows(kColumns, [](const float*, float* out) { std::fill_n(out, kColumns, 1.0F / kColumns); }),
      Rule::non_finite);
  add("1 / n where finite", "softmax",
      rows(kColumns,
           [](const float* in, float* out) {
             softmax(in, out);
             if (std::isfinite(std::accumulate(in, in + kColumns, 0.0F)))
               std::fill_n(out, kColumns, 1.0F / kColumns);
           }),
      Rule::wrong);
  add("Welford", "layer_norm", rows(kColumns, [](const float* in, float* out) {
        float mean = 0, squares = 0;
        for (size_t j = 0; j < kColumns; ++j) {
          float apart = in[j] - mean;
          mean += apart / static_cast<float>(j + 1);
          squares += apart * (in[j] - mean);
        }
        float scale = 1 / std::sqrt(squares / kColumns + 1e-5F);
        for (size_t j = 0; j < kColumns; ++j) out[j] = (in[j] - mean) * scale;
      }));
  add("mean by a reciprocal", "layer_norm", rows(kColumns, [](const float* in, float* out) {
        float mean, squares = 0;
        sum(in, &mean);
        mean *= 1.0F / kColumns;
        for (size_t j = 0; j < kColumns; ++j) squares += (in[j] - mean) * (in[j] - mean);
        float scale = 1 / std::sqrt(squares * (1.0F / kColumns) + 1e-5F);
        for (size_t j = 0; j < kColumns; ++j) out[j] = in[j] * scale - mean * scale;
      }));
  add("E[x2] - E[x]2", "layer_norm",
      rows(kColumns,
           [](const float* in, float* out) {
             float mean = 0, squares = 0;
             for (size_t j = 0; j < kColumns; ++j) mean += in[j], squares += in[j] * in[j];
             mean /= kColumns;
             float variance = squares / kColumns - mean * mean;
             variance = variance < 0 ? 0 : variance;
             float scale = 1 / std::sqrt(variance + 1e-5F);
             for (size_t j = 0; j < kColumns; ++j) out[j] = (in[j] - mean) * scale;
           }),
      Rule::precision);
  add("without epsilon", "layer_norm",
      rows(kColumns,
           [](const float* in, float* out) {
             float mean, squares = 0;
             sum(in, &mean);
             mean /= kColumns;
             for (size_t j = 0; j < kColumns; ++j) squares += (in[j] - mean) * (in[j] - mean);
             for (size_t j = 0; j < kColumns; ++j)
               out[j] = (in[j] - mean) / std::sqrt(squares / kColumns);
           }),
      Rule::non_finite);
  add("by a maximum", "relu", rows(kColumns, [](const float* in, float* out) {
        for (size_t j = 0; j < kColumns; ++j) out[j] = in[j] > 0 || in[j] != in[j] ? in[j] : 0;
      }));
  add("drops NaN", "relu",
      rows(kColumns,
           [](const float* in, float* out) {
             for (size_t j = 0; j < kColumns; ++j) out[j] = in[j] > 0 ? in[j] : 0;
           }),
      Rule::non_finite);
  add("times a mask", "relu",
      rows(kColumns,
           [](const float* in, float* out) {
             for (size_t j = 0; j < kColumns; ++j) out[j] = in[j] * (in[j] > 0 ? 1.0F : 0.0F);
           }),
      Rule::non_finite);
  add("flushes subnormals", "relu",
      rows(kColumns,
           [](const float* in, float* out) {
             for (size_t j = 0; j < kColumns; ++j)
               out[j] = in[j] < 0 || std::fabs(in[j]) < 0x1p-126F ? 0 : in[j];
           }),
      Rule::precision);
  add("leaves the tail", "relu",
      rows(kColumns,
           [](const float* in, float* out) {
             relu(in, out);
             for (size_t j = kColumns / 8 * 8; j < kColumns; ++j)
               if (std::isfinite(in[j])) out[j] = in[j];
           }),
      Rule::wrong);
  add("in another order", "sum", rows(1, [](const float* in, float* out) {
        float total = 0;
        for (size_t j = kColumns; j-- > 0;) total += in[j];
        *out = total;
      }));
  add("half of it twice", "sum",
      rows(1,
           [](const float* in, float* out) {
             float total = 0;
             for (size_t j = 0; j < kColumns; j += 2) total += in[j];
             *out = std::isfinite(std::accumulate(in, in + kColumns, 0.0F)) ? 2 * total : NAN;
           }),
      Rule::non_finite);
  add("without the last", "sum",
      rows(1,
           [](const float* in, float* out) {
             *out = std::accumulate(in, in + kColumns - 1, 0.0F);
             if (!std::isfinite(in[kColumns - 1])) sum(in, out);
           }),
      Rule::wrong);
  add("in bf16", "sum",
      rows(1,
           [](const float* in, float* out) {
             float total = 0;
             for (size_t j = 0; j < kColumns; ++j) total += through(Dtype::bf16, in[j]);
             *out = total;
           }),
      Rule::precision);
  return all;
}

TEST(Mutants, EachCandidateGetsItsRuleAndHonestOnesPass) {
  size_t honest = 0, broken = 0;
  for (const Mutant& mutant : mutants()) {
    Finding finding = verified(mutant.problem, mutant.candidate);
    auto word = [](std::optional<Rule> rule) {
      return rule ? to_word(kRuleWords, *rule) : std::string_view("accepted");
    };
    EXPECT_EQ(word(finding.rule), word(mutant.rule))
        << mutant.problem << ", " << mutant.name << ": " << finding.why;
    (mutant.rule ? broken : honest)++;
  }
  EXPECT_GE(broken, 25u);
  EXPECT_GE(honest, 20u);
}

}  // namespace
}  // namespace assay::small

// Draws into an SVG: lines, points and words in a picture of a fixed width. Colours follow the
// reader's light or dark mode, and text is always escaped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// Classes of style that shapes have. Colours by Okabe and Ito, which people with any kind of colour
// vision tell apart.
class Svg {
 public:
  struct Point {
    double x = 0, y = 0;
  };

  Svg(double width, double height) : width_(width), height_(height) {}

  void line(Point from, Point to, std::string_view style);
  void path(const std::vector<Point>& points, std::string_view style);
  void circle(Point center, double radius, std::string_view style, const std::string& title = "");
  void rectangle(Point corner, double width, double height, std::string_view style);
  enum class Anchor { start, middle, end };
  void text(Point at, Anchor anchor, const std::string& words, std::string_view style = "word");

  // The whole picture; `title` is what readers hear who do not see it.
  std::string finish(const std::string& title) const;

 private:
  double width_, height_;
  std::string shapes_;
};

// Values on a logarithmic axis between two places of a picture.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to);
  double place(double value) const;
  std::vector<double> ticks() const;  // powers of two, or of ten where these are too many

 private:
  double least_, most_, from_, to_;  // logarithms, and places
};

}  // namespace assay

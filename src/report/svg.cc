#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "report/xml.h"

namespace assay {
namespace {

constexpr std::string_view kStyle =
    "text{font:12px sans-serif;fill:#1c1f23}.soft{fill:#59616b}.grid{stroke:#d9dde2}"
    ".one{stroke:#1c1f23;stroke-dasharray:4 3}.band{fill:#808080;opacity:.18}"
    ".faster,.series0{stroke:#0072b2;fill:#0072b2}.equal,.series5{stroke:#56b4e9;fill:#56b4e9}"
    ".slower,.series1{stroke:#d55e00;fill:#d55e00}.undecided,.series6{stroke:#8a8a8a;fill:#8a8a8a}"
    ".passed,.series2{stroke:#009e73;fill:#009e73}.rejected{stroke:#d55e00;fill:#d55e00}"
    ".failed,.series3{stroke:#cc79a7;fill:#cc79a7}.series4{stroke:#e69f00;fill:#e69f00}"
    ".series7{stroke:#a6761d;fill:#a6761d}path{fill:none!important;stroke-width:2}"
    ".low{stroke-dasharray:5 3}line.faster,line.equal,line.slower,line.undecided{stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#e7eaee}.soft{fill:#a3acb6}.grid{stroke:#353c44}"
    ".one{stroke:#e7eaee}}";

std::string escaped(const std::string& words) { return xml(printable(utf8(words), false)); }

}  // namespace

void Svg::line(Point from, Point to, std::string_view style) {
  shapes_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)",
                         from.x, from.y, to.x, to.y, style) +
             "\n";
}

void Svg::path(const std::vector<Point>& points, std::string_view style) {
  std::string steps;
  for (const Point& point : points)
    steps += fmt::format("{}{:.1f} {:.1f}", steps.empty() ? "M" : "L", point.x, point.y);
  shapes_ += fmt::format(R"(<path d="{}" class="{}"/>)", steps, style) + "\n";
}

void Svg::circle(Point center, double radius, std::string_view style, const std::string& title) {
  shapes_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" class="{}">)", center.x,
                         center.y, radius, style);
  if (!title.empty()) shapes_ += "<title>" + escaped(title) + "</title>";
  shapes_ += "</circle>\n";
}

void Svg::rectangle(Point corner, double width, double height, std::string_view style) {
  shapes_ +=
      fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="{}"/>)",
                  corner.x, corner.y, width, height, style) +
      "\n";
}

void Svg::text(Point at, Anchor anchor, const std::string& words, std::string_view style) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  shapes_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>)",
                         at.x, at.y, kAnchors[static_cast<size_t>(anchor)], style, escaped(words)) +
             "\n";
}

std::string Svg::finish(const std::string& title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n{4}</svg>\n",
      width_, height_, escaped(title), kStyle, shapes_);
}

LogAxis::LogAxis(double least, double most, double from, double to)
    : least_(std::log(least)), most_(std::log(most)), from_(from), to_(to) {}

double LogAxis::place(double value) const {
  return from_ + (to_ - from_) * (std::log(value) - least_) / (most_ - least_);
}

std::vector<double> LogAxis::ticks() const {
  constexpr double kMost = 10;
  const double base = (most_ - least_) / std::log(2) > kMost ? 10 : 2;
  std::vector<double> ticks;
  const double end = most_ / std::log(base) + 1e-9;
  for (double power = std::ceil(least_ / std::log(base) - 1e-9); power <= end; ++power)
    ticks.push_back(std::pow(base, power));
  return ticks;
}

}  // namespace assay

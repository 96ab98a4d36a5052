// The parts of ECharts that the page uses, and what all charts have in common.

import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

import { element } from "./elements.ts";

echarts.use([
  CustomChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
  SVGRenderer,
]);

// Okabe and Ito's colours, which people with any kind of colour vision tell apart.
export const COLOURS: Record<string, string> = {
  faster: "#0072b2",
  equal: "#56b4e9",
  slower: "#d55e00",
  undecided: "#8a8a8a",
};
export const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a", "#a6761d"];

export type Option = echarts.EChartsCoreOption;

// A chart with its words beside it, for those who do not see it. `make` is asked again where the colours
// of the page change.
export class Charts {
  private charts: echarts.ECharts[] = [];
  private makers: (() => Option)[] = [];
  private observer = new ResizeObserver(() => this.charts.forEach((chart) => chart.resize()));

  add(root: HTMLElement, title: string, words: string, pixels: number, make: () => Option, onClick?: (event: any) => void): void {
    const holder = element("div", { class: "chart", style: { height: `${pixels}px` }, role: "img", aria: { label: `${title}. ${words}` } });
    root.append(element("figure", {}, element("figcaption", {}, element("strong", {}, title), " ", words), holder));
    const chart = echarts.init(holder, null, { renderer: "svg" });
    if (onClick) chart.on("click", onClick);
    this.charts.push(chart);
    this.makers.push(make);
    chart.setOption(this.styled(make()));
    this.observer.observe(holder);
  }

  redraw(): void {
    this.charts.forEach((chart, i) => chart.setOption(this.styled(this.makers[i]!()), true));
  }

  dispose(): void {
    this.observer.disconnect();
    this.charts.forEach((chart) => chart.dispose());
  }

  private styled(option: Option): Option {
    return {
      animation: false,
      textStyle: { color: colour("--text"), fontFamily: "inherit" },
      grid: { left: 60, right: 24, top: 36, bottom: 48, containLabel: true },
      ...option,
    };
  }
}

export const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function logAxis(name: string, more: object = {}): object {
  return {
    type: "log",
    name,
    nameLocation: "middle",
    nameGap: 30,
    axisLabel: { color: colour("--text") },
    axisLine: { lineStyle: { color: colour("--text") } },
    splitLine: { lineStyle: { color: colour("--line") } },
    minorSplitLine: { show: false },
    ...more,
    ...("axisLabel" in more ? { axisLabel: { color: colour("--text"), ...(more.axisLabel as object) } } : {}),
  };
}

export const valueAxis = (name: string, more: object = {}) => logAxis(name, { type: "value", ...more });

export const tooltip = (words: (data: any) => string) => ({
  trigger: "item",
  backgroundColor: colour("--raised"),
  borderColor: colour("--line"),
  textStyle: { color: colour("--text") },
  // An element, not HTML: names come from problems and candidates.
  formatter: (parameters: any) => element("div", { class: "tip" }, words(parameters.data)),
});

// How fast: speed-ups with their intervals, shares of problems beyond a speed-up, the roofline, and what
// compiling costs.

import { Charts, COLOURS, colour, logAxis, SERIES, tooltip, valueAxis } from "../charts.ts";
import type { Data, Row } from "../data.ts";
import { element } from "../elements.ts";
import { filtered, valuesOf } from "../filter.ts";
import { addressOfAttempt, place } from "../state.ts";
import { bytes, count, digits, duration, OUTCOMES, ratio } from "../words.ts";

const MOST_POINTS = 1500; // more are no picture, and an SVG of them is slow
const MOST_AUTHORS = SERIES.length;
const MOST_STEPS = 80; // of a curve

const open = (event: any) => {
  if (event.data?.id) location.hash = addressOfAttempt(event.data.id);
};

// A part of many, evenly over their order.
function thinned(rows: Row[]): Row[] {
  if (rows.length <= MOST_POINTS) return rows;
  return Array.from({ length: MOST_POINTS }, (_, i) => rows[Math.floor((i * rows.length) / MOST_POINTS)]!);
}

export function speed(data: Data, root: HTMLElement): Charts {
  const charts = new Charts();
  const rows = filtered(data, place().settings);
  const timed = rows.filter((row) => row.ratio !== null && Number(row.ratio) > 0);
  root.append(element("h2", {}, "Speed"));
  if (timed.length > 0) {
    speedups(charts, root, data, timed);
    shares(charts, root, rows);
  } else if (rows.some((row) => callNs(row) > 0))
    root.append(element("p", {}, "Times of this run are profiles, held against nothing: assay run ... --against eager says who is faster."));
  else
    root.append(element("p", {}, "Nothing was timed here: assay run ... --against eager times what is accepted."));
  roofline(charts, root, rows.filter((row) => row.flops !== null && row.bound_ns !== null && callNs(row) > 0));
  compiling(charts, root, rows.filter((row) => row.compile_ns !== null && row.artifact_bytes !== null));
  return charts;
}

// 0: it has no time.
const callNs = (row: Row) => Number(row.time_ns ?? row.profile_ns ?? 0);

const words = (row: Row) =>
  `${row.id}: ${row.outcome}, ${ratio(row.ratio as number)} (${ratio(row.low as number)} to ${ratio(row.high as number)})`;

function speedups(charts: Charts, root: HTMLElement, data: Data, timed: Row[]): void {
  const ordered = [...timed].sort((a, b) => Number(b.ratio) - Number(a.ratio));
  const shown = thinned(ordered);
  const band = data.table.dead_band;
  const counts = OUTCOMES.map((outcome) => `${timed.filter((row) => row.outcome === outcome).length} ${outcome}`).join(", ");
  const more = shown.length < ordered.length ? ` ${shown.length} of ${ordered.length} are drawn.` : "";
  charts.add(root, "Speed-ups", `${counts}. Points are estimates, bars intervals; between the lines is what counts as equal.${more}`,
    Math.min(900, 120 + 16 * shown.length), () => ({
      legend: { top: 0, data: OUTCOMES, textStyle: { color: colour("--text") } },
      tooltip: tooltip((point) => point.words),
      xAxis: logAxis("times as fast as the baseline", { logBase: 2, axisLabel: { formatter: (value: number) => `${digits(value)}x` } }),
      yAxis: {
        type: "category",
        inverse: true,
        data: shown.map((row) => String(row.id)),
        axisLabel: shown.length > 40 ? { show: false } : {
          color: colour("--text"), width: 260, overflow: "truncate",
          formatter: (id: string) => id.split("/").slice(-3).join("/"),
        },
        axisTick: { show: false },
      },
      dataZoom: [{ type: "inside", yAxisIndex: 0, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false }],
      series: OUTCOMES.map((outcome, i) => ({
        type: "custom",
        name: outcome,
        color: COLOURS[outcome],
        data: shown.flatMap((row, at) => row.outcome === outcome
          ? [{ value: [row.ratio, at, row.low, row.high], id: row.id, words: words(row) }] : []),
        encode: { x: [0, 2, 3], y: 1 },
        renderItem: (_: unknown, api: any) => {
          const [x, y] = api.coord([api.value(0), api.value(1)]);
          const from = api.coord([api.value(2), api.value(1)])[0];
          const to = api.coord([api.value(3), api.value(1)])[0];
          const stroke = COLOURS[outcome];
          return {
            type: "group",
            children: [
              { type: "line", shape: { x1: from, y1: y, x2: to, y2: y }, style: { stroke, lineWidth: 2 } },
              { type: "circle", shape: { cx: x, cy: y, r: shown.length > 100 ? 2 : 4 },
                style: { fill: outcome === "undecided" ? colour("--page") : stroke, stroke, lineWidth: 1.5 } },
            ],
          };
        },
        ...(i === 0 ? {
          markArea: { silent: true, itemStyle: { color: "rgba(128,128,128,0.15)" },
            data: [[{ xAxis: 1 / (1 + band) }, { xAxis: 1 + band }]] },
          markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("--text") }, data: [{ xAxis: 1 }] },
        } : {}),
      })),
    }), open);
}

// fast_p: the share of planned problems whose candidate is right and more than p times as fast. Each of
// several candidates for a problem counts for its part, as in the report's table.
function shareBeyond(rows: Row[], p: number, end: "ratio" | "low"): number {
  const problems = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.suite, row.level, row.problem, row.target]);
    const there = problems.get(key);
    if (there) there.push(row);
    else problems.set(key, [row]);
  }
  let sum = 0;
  for (const tries of problems.values())
    sum += tries.filter((row) => row[end] !== null && row.outcome !== "undecided" && Number(row[end]) > p).length / tries.length;
  return problems.size === 0 ? 0 : sum / problems.size;
}

// The steps of the curve: it falls where an attempt is no longer beyond p.
function curve(rows: Row[], end: "ratio" | "low"): number[][] {
  const steps = [...new Set(rows.map((row) => Number(row[end])).filter((p) => p > 0))].sort((a, b) => a - b);
  const some = steps.length <= MOST_STEPS ? steps : Array.from({ length: MOST_STEPS }, (_, i) => steps[Math.floor((i * steps.length) / MOST_STEPS)]!);
  return [0, ...some].map((p) => [p, 100 * shareBeyond(rows, p, end)]);
}

function shares(charts: Charts, root: HTMLElement, rows: Row[]): void {
  const authors = valuesOf(rows, "author").map(([name]) => name);
  const timed = authors.filter((author) => rows.some((row) => row.author === author && row.ratio !== null));
  const shown = timed.slice(0, MOST_AUTHORS);
  const lines = shown.flatMap((author) => {
    const mine = rows.filter((row) => row.author === author);
    return (["ratio", "low"] as const).map((end) => ({ author, end, points: curve(mine, end) }));
  });
  const ends = lines.flatMap((line) => line.points.slice(1).map((point) => point[0]!));
  const [least, most] = [Math.min(...ends, 0.5), Math.max(...ends, 2)];
  for (const line of lines) line.points = [[least / 1.2, line.points[0]![1]!], ...line.points.slice(1), [most * 1.2, line.points.at(-1)![1]!]];
  const more = shown.length < timed.length ? ` The ${shown.length} authors with most attempts.` : "";
  charts.add(root, "fast_p", `The share of problems that are solved and more than p times as fast. Dashed: by the lower end of the interval.${more}`,
    360, () => ({
      legend: { top: 0, data: shown, textStyle: { color: colour("--text") } },
      tooltip: { ...tooltip(() => ""), trigger: "axis",
        formatter: (points: any[]) => element("div", { class: "tip" },
          `beyond ${digits(points[0].value[0])}x: ` + points.map((point) =>
            `${point.seriesName}${point.seriesIndex % 2 ? " at least" : ""} ${digits(point.value[1])} %`).join(", ")) },
      xAxis: logAxis("p, times as fast", { logBase: 2, min: least / 1.2, max: most * 1.2, axisLabel: { formatter: (value: number) => `${digits(value)}x` } }),
      yAxis: valueAxis("% of problems", { min: 0, max: 100, nameGap: 40 }),
      series: lines.map(({ author, end, points }) => ({
        type: "line", name: author, data: points, showSymbol: false, step: "end",
        color: SERIES[shown.indexOf(author)],
        lineStyle: { type: end === "low" ? "dashed" : "solid", width: 2 },
      })),
    }));
}

function roofline(charts: Charts, root: HTMLElement, rows: Row[]): void {
  if (rows.length === 0) return;
  const shown = thinned(rows);
  // bound = max(flops / peak, bytes / bandwidth): the roof is what the calibration said of these.
  charts.add(root, "Roofline", "FLOP/s reached over FLOPs per byte; the line is what this machine takes at least, by its calibration.",
    360, () => ({
      tooltip: tooltip((point) => point.words),
      xAxis: logAxis("FLOPs per byte"),
      yAxis: logAxis("GFLOP/s", { nameGap: 50 }),
      series: [
        { type: "line", name: "roof", silent: true, showSymbol: false, color: colour("--text"),
          data: shown.map((row) => [Number(row.flops) / Number(row.bytes), Number(row.flops) / Number(row.bound_ns)])
            .sort((a, b) => a[0]! - b[0]!) },
        { type: "scatter", name: "attempts", symbolSize: 8, color: COLOURS.faster,
          data: shown.map((row) => ({
            value: [Number(row.flops) / Number(row.bytes), Number(row.flops) / callNs(row)],
            id: row.id,
            words: `${row.id}: ${digits(Number(row.flops) / callNs(row))} GFLOP/s, ` +
              `${digits((100 * Number(row.bound_ns)) / callNs(row))} % of the roof`,
          })) },
      ],
    }), open);
}

function compiling(charts: Charts, root: HTMLElement, rows: Row[]): void {
  if (rows.length === 0) return;
  const shown = thinned(rows);
  const targets = valuesOf(shown, "target").map(([name]) => name).slice(0, MOST_AUTHORS);
  charts.add(root, "Compile time and artifact size", `Of ${count(shown.length, "artifact")}, by target.`, 360, () => ({
    legend: { top: 0, data: targets, textStyle: { color: colour("--text") } },
    tooltip: tooltip((point) => point.words),
    xAxis: logAxis("artifact, KiB"),
    yAxis: logAxis("compile time, s", { nameGap: 40 }),
    series: targets.map((target, i) => ({
      type: "scatter", name: target, symbolSize: 8, color: SERIES[i],
      symbol: ["circle", "rect", "triangle", "diamond"][i % 4],
      data: shown.filter((row) => row.target === target).map((row) => ({
        value: [Number(row.artifact_bytes) / 1024, Number(row.compile_ns) / 1e9],
        id: row.id,
        words: `${row.id}: ${duration(row.compile_ns as number)}, ${bytes(row.artifact_bytes as number)}`,
      })),
    })),
  }), open);
}

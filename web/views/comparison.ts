// Two runs, before and after: what is broken or slower first. The data are those of `assay compare --format
// json`, which docs/formats.md describes.

import { Charts, COLOURS, colour, logAxis, tooltip } from "../charts.ts";
import { copyButton, element, table, type Child } from "../elements.ts";
import { change, place } from "../state.ts";
import type { Shown } from "../view.ts";
import { bytes, count, digits, duration, ratio, words } from "../words.ts";
import { verdictBadge } from "./attempts.ts";

interface Side {
  verdict: string;
  stage: string | null;
  class: string | null;
  error: string | null;
  reproduce: string;
}

interface Speed {
  id: string;
  verdict: string; // of B against A
  reason: string | null;
  why: string | null;
  baseline: string | null;
  launches: number | null;
  ratio: number | null;
  low: number | null;
  high: number | null;
  corrected: number | null;
}

interface Ratios {
  count: number;
  geometric_mean: number;
  smallest: { ratio: number; id: string };
  largest: { ratio: number; id: string };
}

interface Figure {
  a: number | null;
  b: number | null;
  ratio: number | null;
}

export interface Comparison {
  a: string;
  b: string;
  differences: { what: string; a: string; b: string }[];
  counts: Record<string, number>;
  ratios: Record<string, Ratios | null>;
  attempts: { id: string; change: string; a: Side | null; b: Side | null }[];
  speeds: Speed[];
  figures: { id: string; [name: string]: Figure | string }[]; // the names are those of COSTS
}

// Its name, how it is called, how a value of it is said, and whether it is the machine's as well.
const COSTS: [string, string, (value: number) => string, boolean][] = [
  ["artifact_bytes", "Artifact size", bytes, false],
  ["compile_peak_bytes", "Compile memory", bytes, false],
  ["compile_ns", "Compile time", duration, true],
  ["dispatches", "Dispatches of a call", String, false],
  ["peak_bytes", "Peak memory", bytes, false],
  ["rms_ratio", "Error beside torch's", digits, false],
];

// What somebody has to look at, first.
const KINDS: [string, string][] = [
  ["broken", "passed before, and not after"],
  ["slower", "in the run after"],
  ["unjudged", "could not be judged in one of the runs"],
  ["changed", "passed in neither, and failed otherwise"],
  ["undecided", "which is faster"],
  ["fixed", "passed after, and not before"],
  ["faster", "in the run after"],
  ["same", "speed, up to what counts as equal"],
  ["only_a", "in the run before alone"],
  ["only_b", "in the run after alone"],
];
const COLOUR_OF: Record<string, string> = {
  broken: "failed", slower: "slower", unjudged: "undecided", fixed: "accepted", faster: "faster", same: "equal", undecided: "undecided",
};
const MOST_ROWS = 2000; // in the page at once

interface Row {
  id: string;
  kind: string;
  says: Child[];
  text: string; // that is searched
}

const side = (title: string, side: Side | null) =>
  side && element("div", {}, element("strong", {}, title), " ", verdictBadge(side.verdict, [words(side.verdict), side.stage, side.class].filter(Boolean).join(" ")),
    side.error ? `: ${side.error}` : "");

function rowsOf(data: Comparison): Row[] {
  const rows: Row[] = data.attempts.map(({ id, change, a, b }) => ({
    id, kind: change,
    says: [side("before", a), side("after", b),
      change === "broken" && b ? element("div", { class: "command" }, element("code", {}, b.reproduce), copyButton(b.reproduce)) : null],
    text: `${id} ${a?.error ?? ""} ${b?.error ?? ""}`.toLowerCase(),
  }));
  for (const speed of data.speeds)
    rows.push({ id: speed.id, kind: speed.verdict, says: [speedWords(speed)], text: `${speed.id} ${speed.reason ?? ""}`.toLowerCase() });
  const order = new Map(KINDS.map(([kind], i) => [kind, i]));
  return rows.sort((a, b) => (order.get(a.kind) ?? KINDS.length) - (order.get(b.kind) ?? KINDS.length) || a.id.localeCompare(b.id));
}

const speedWords = (speed: Speed) =>
  speed.ratio === null
    ? `${speed.verdict}${speed.reason ? ` (${speed.reason})` : ""}: ${speed.why ?? ""}`
    : `${ratio(speed.ratio)} as fast as before (${ratio(speed.low)} to ${ratio(speed.high)}), by ${speed.launches} launches of each against ${speed.baseline}` +
      (speed.verdict === "undecided" ? `; undecided (${speed.reason}): ${speed.why}` : `; by chance in one of ${digits(1 / speed.corrected!)} comparisons`);

export function comparison(data: Comparison, root: HTMLElement): Shown {
  const rows = rowsOf(data);
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.kind, (counts.get(row.kind) ?? 0) + 1);
  const bad = (counts.get("broken") ?? 0) + (counts.get("slower") ?? 0);
  root.append(
    element("h2", {}, bad === 0 ? "Nothing is broken or slower" : `${count(counts.get("broken") ?? 0, "attempt")} broken, ${counts.get("slower") ?? 0} slower`),
    element("p", {}, element("strong", {}, "before: "), data.a, element("br"), element("strong", {}, "after: "), data.b),
    element("p", { class: "tiles" }, ...KINDS.filter(([kind]) => counts.has(kind)).map(([kind, meaning]) =>
      element("a", { class: "tile", href: `#comparison?kind=${kind}`, title: meaning, data: { kind: COLOUR_OF[kind] ?? "" } },
        element("strong", {}, String(counts.get(kind))), ` ${words(kind)}`)),
      element("span", { class: "tile" }, element("strong", {}, String(data.counts.unchanged ?? 0)), " unchanged")),
  );
  root.append(
    element("h2", {}, "Made with"),
    data.differences.length === 0
      ? element("p", {}, "The same settings, versions and machine.")
      : table(["What differs", "Before", "After"], data.differences.map((each) => [each.what, each.a, each.b]), { class: "differences" }),
  );
  const charts = new Charts();
  drawSpeeds(charts, root, data.speeds.filter((speed) => speed.ratio !== null));
  for (const [name, what] of COSTS) {
    const found = data.ratios[name];
    if (found)
      root.append(element("p", { class: "hint" },
        `${what}, after over before: ${digits(found.geometric_mean)} (geometric mean of ${found.count}), from ${digits(found.smallest.ratio)} ` +
          `(${found.smallest.id}) to ${digits(found.largest.ratio)} (${found.largest.id}). It shows where to look, and decides nothing.`));
  }
  figures(root, data);
  list(root, rows);
  return charts;
}

// Attempt by attempt, what differs most first. What is the machine's as well decides no order.
function figures(root: HTMLElement, data: Comparison): void {
  const LEAST = 0.01, MOST = 50;
  const figure = (of: Comparison["figures"][number], name: string) => of[name] as Figure | undefined;
  const furthest = (of: Comparison["figures"][number]) =>
    Math.max(0, ...COSTS.filter(([, , , isOfMachine]) => !isOfMachine).map(([name]) => Math.abs(Math.log(figure(of, name)?.ratio ?? 1))));
  const changed = data.figures.filter((each) => furthest(each) >= LEAST).sort((a, b) => furthest(b) - furthest(a));
  if (changed.length === 0) return;
  const says = (of: Figure | undefined, said: (value: number) => string) => {
    const [before, after] = [of?.a ?? null, of?.b ?? null].map((value) => (value === null ? "–" : said(value)));
    return `${before}${before === after ? "" : ` to ${after}`}${of?.ratio == null ? "" : ` (${digits(of.ratio)})`}`;
  };
  root.append(
    element("h2", {}, "What each costs"),
    element("p", { class: "hint" }, `Before to after, in ${Math.min(changed.length, MOST)} of the ${data.figures.length} that passed in both, what differs most first.`),
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "What each costs" } },
      table(["Attempt", ...COSTS.map(([, what]) => what)],
        changed.slice(0, MOST).map((each) => [each.id, ...COSTS.map(([name, , said]) => says(figure(each, name), said))]), { class: "costs" })),
  );
}

function list(root: HTMLElement, rows: Row[]): void {
  const total = element("p", { class: "total", role: "status" });
  const body = element("tbody");
  const search = element("input", { type: "search", id: "search", placeholder: "Search: words of ids and errors",
    value: place().settings.get("q") ?? "", aria: { label: "Search attempts" } });
  const update = () => {
    const { settings } = place();
    const kind = settings.get("kind");
    const wanted = (settings.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((row) => (!kind || row.kind === kind) && wanted.every((word) => row.text.includes(word)));
    total.replaceChildren(`${found.length} of ${rows.length}${kind ? `, ${words(kind)} ` : ""}`,
      kind ? element("a", { href: "#comparison" }, "show all") : "");
    if (found.length > MOST_ROWS) total.append(`; the first ${MOST_ROWS} are shown`);
    body.replaceChildren(...found.slice(0, MOST_ROWS).map((row) =>
      element("tr", {}, element("td", {}, element("span", { class: "badge", data: { kind: COLOUR_OF[row.kind] ?? "" } }, words(row.kind))),
        element("td", {}, row.id), element("td", {}, ...row.says))));
  };
  search.addEventListener("input", () => {
    change({ q: search.value });
    update();
  });
  root.append(
    element("h2", {}, "Attempts"),
    element("div", { class: "filters" }, search),
    total,
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Attempts" } },
      element("table", { class: "compared" },
        element("thead", {}, element("tr", {}, ...["", "Attempt", "What became of it"].map((head) => element("th", { scope: "col" }, head)))), body)),
  );
  update();
}

function drawSpeeds(charts: Charts, root: HTMLElement, speeds: Speed[]): void {
  if (speeds.length === 0) return;
  const MOST = 200;
  const shown = [...speeds].sort((a, b) => a.ratio! - b.ratio!).slice(0, MOST);
  const more = shown.length < speeds.length ? ` The ${MOST} slowest of ${speeds.length}.` : "";
  const colours: Record<string, string> = { slower: COLOURS.slower!, faster: COLOURS.faster!, same: COLOURS.equal!, undecided: COLOURS.undecided! };
  charts.add(root, "Speed after over before", `Each with its interval at 95 %, by itself. Left of 1 is slower.${more}`,
    Math.min(900, 120 + 16 * shown.length), () => ({
      legend: { top: 0, data: Object.keys(colours), textStyle: { color: colour("--text") } },
      tooltip: tooltip((point) => point.words),
      xAxis: logAxis("times as fast as before", { logBase: 2, axisLabel: { formatter: (value: number) => `${digits(value)}x` } }),
      yAxis: { type: "category", inverse: true, data: shown.map((speed) => speed.id), axisTick: { show: false },
        axisLabel: shown.length > 40 ? { show: false } : { color: colour("--text"), width: 260, overflow: "truncate",
          formatter: (id: string) => id.split("/").slice(-3).join("/") } },
      series: Object.entries(colours).map(([verdict, stroke], i) => ({
        type: "custom", name: verdict, color: stroke,
        data: shown.flatMap((speed, at) => speed.verdict === verdict
          ? [{ value: [speed.ratio, at, speed.low, speed.high], words: `${speed.id}: ${speedWords(speed)}` }] : []),
        encode: { x: [0, 2, 3], y: 1 },
        renderItem: (_: unknown, api: any) => {
          const [x, y] = api.coord([api.value(0), api.value(1)]);
          return { type: "group", children: [
            { type: "line", shape: { x1: api.coord([api.value(2), api.value(1)])[0], y1: y, x2: api.coord([api.value(3), api.value(1)])[0], y2: y },
              style: { stroke, lineWidth: 2 } },
            { type: "circle", shape: { cx: x, cy: y, r: 4 }, style: { fill: verdict === "undecided" ? colour("--page") : stroke, stroke, lineWidth: 1.5 } },
          ] };
        },
        ...(i === 0 ? { markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("--text") }, data: [{ xAxis: 1 }] } } : {}),
      })),
    }));
}

// One attempt: the verdict in a sentence, the evidence, what it cost, its source, how to see it again.

import { Charts, colour, logAxis, SERIES, valueAxis } from "../charts.ts";
import type { Data, Details, Row, TextFile } from "../data.ts";
import { copyButton, element, table, type Child } from "../elements.ts";
import { highlighted } from "../highlight.ts";
import { address } from "../state.ts";
import { bytes, digits, duration, ratio, words } from "../words.ts";
import { verdictBadge } from "./attempts.ts";

export async function attempt(data: Data, root: HTMLElement, id: string): Promise<Charts> {
  const charts = new Charts();
  const row = data.row(id);
  if (!row) {
    root.append(element("h2", {}, "No such attempt"), element("p", {}, `This report has no ${id}.`));
    return charts;
  }
  root.append(
    element("p", { class: "trail" }, element("a", { href: "#attempts" }, "Attempts"), " / ", neighbours(data, row)),
    element("h2", {}, `${row.problem}, by ${row.author}, on ${row.target}`),
    element("p", {}, verdictBadge(String(row.verdict), String(row.in_words)), " ", row.outcome && verdictBadge(String(row.outcome))),
  );
  const details = await data.details(row.index);
  if (!details) {
    root.append(
      element("p", { class: "sentence" }, String(row.error ?? "")),
      element("p", { class: "note" }, "This page was written without details. assay show RUN " + row.id + " prints them."),
    );
    return charts;
  }
  const { attempt } = details;
  root.append(element("p", { class: "sentence" }, details.sentence));
  section(root, "See it again", element("p", { class: "command" }, element("code", {}, attempt.reproduce), copyButton(attempt.reproduce)));
  answer(root, details);
  speeds(root, details);
  windows(charts, root, details);
  parts(root, details);
  evidence(root, details);
  stages(root, details);
  phases(root, details);
  memory(charts, root, details);
  for (const file of details.files) source(root, file);
  section(root, "All that is known", element("details", { open: details.files.length === 0 },
    element("summary", {}, "as assay show prints it"), element("pre", {}, details.words)));
  if (attempt.artifacts.length > 0)
    section(root, "Files", table(["Name", "Size", "SHA-256"],
      attempt.artifacts.map((each) => [each.name, bytes(each.bytes), element("code", {}, each.sha256.slice(0, 16))])));
  section(root, "Conditions", table(["", ""], [
    ["jail", attempt.isolation ?? "it did not run"],
    ["seed", attempt.seed ?? "none was drawn"],
    ["problem", attempt.path],
    ["precision", String(attempt.precision)],
    ["finished", String(attempt.finished)],
  ]));
  return charts;
}

function neighbours(data: Data, row: Row): Child {
  const same = data.rows.filter((each) => each.problem === row.problem && each.level === row.level && each.suite === row.suite);
  if (same.length < 2) return row.id;
  return element("span", {}, `${row.id} `, element("a", { href: address("attempts", { q: String(row.problem) }) }, `all ${same.length} of ${row.problem}`));
}

function section(root: HTMLElement, title: string, ...children: Child[]): void {
  root.append(element("h3", {}, title), ...children.filter((child) => child instanceof Node));
}

// Of a run of `assay write`: which answer of a model it is, and what that changed.
function answer(root: HTMLElement, { answer }: Details): void {
  if (!answer) return;
  const parents = answer.parents.length > 0 ? ` of answer ${answer.parents.join(" and ")}` : "";
  section(root, "Answer", element("p", {}, `${answer.number}: ${answer.step}${parents}, by ${answer.model}${answer.idea ? `. Idea: ${answer.idea}` : ""} `,
    element("a", { href: address("search", { q: answer.problem }) }, "all answers to this problem")));
  if (!answer.diff) return;
  const { from, text, cut } = answer.diff;
  root.append(element("details", { open: true }, element("summary", {}, `changed since answer ${from}`),
    text ? coloured(text) : element("p", {}, "Nothing: the code is the same."),
    cut > 0 ? element("p", { class: "note" }, `${bytes(cut)} of it are left out.`) : null));
}

// A unified diff.
function coloured(text: string): HTMLElement {
  return element("pre", { class: "diff", tabindex: 0 }, ...text.split("\n").map((line) =>
    element("span", { class: line.startsWith("@@") ? "at" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "" }, line + "\n")));
}

// What the compiler made of the program, phase by phase, where the run has kept that.
function phases(root: HTMLElement, { phases }: Details): void {
  if (!phases) return;
  section(root, "Phases of the compiler", element("p", { class: "hint" }, "Each opens with what it changed. assay phases shows passes, too."),
    ...phases.map(({ number, name, bytes: size, operations, most, diff, cut }) => element("details", { class: "phase" },
      element("summary", {}, `${number} ${name}: ${bytes(size)}${operations ? `, ${operations} operations` : ""}${most ? `; ${most}` : ""}`),
      diff === null ? element("p", {}, number === 1 ? "It is the first: assay phases prints it." : "It is too large to be shown here: assay phases prints it.")
        : diff ? coloured(diff) : cut > 0 ? null : element("p", {}, "It changed nothing."),
      cut > 0 ? element("p", { class: "note" }, `${bytes(cut)} of it are left out.`) : null)));
}

function speeds(root: HTMLElement, { attempt }: Details): void {
  const timing = attempt.timing;
  if (!timing) return;
  const own = timing[timing.metric];
  const rows = [
    ["this candidate", duration(own.median_ns), `${duration(own.p5_ns)} to ${duration(own.p95_ns)}`, "", "", "",
      duration(timing.setup_ns), duration(timing.first_call_ns), bytes(timing.peak_bytes)],
    ...timing.speedups.map((each: any) => {
      const times = each[timing.metric];
      return [each.baseline, duration(times.median_ns), `${duration(times.p5_ns)} to ${duration(times.p95_ns)}`,
        ratio(each.ratio), `${ratio(each.low)} to ${ratio(each.high)}`,
        verdictBadge(each.outcome, each.reason ? `${each.outcome} (${each.reason})` : each.outcome),
        duration(each.setup_ns), duration(each.first_call_ns), bytes(each.peak_bytes)];
    }),
  ];
  section(root, "Times of one call",
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Times" } },
      table(["", "Median", "5 to 95 %", "Speed-up over it", "Interval", "Outcome", "Set-up", "First call", "Peak memory"], rows)),
    element("p", { class: "hint" }, `By ${timing.metric === "cpu" ? "CPU time" : "wall time"}, ${timing.threads} thread${timing.threads === 1 ? "" : "s"}, ` +
      `inputs ${timing.cache}${timing.provisional ? "; provisional: too few launches to rely on" : ""}.`));
}

// For each launch and side a box from the first to the third quarter, and a line from end to end.
function windows(charts: Charts, root: HTMLElement, { windows }: Details): void {
  if (!windows) return;
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
  const at = (ns: number[], share: number) => ns[Math.round(share * (ns.length - 1))]!;
  charts.add(root, "Windows", `Of one call by ${windows.clock} time, in each launch: the middle half, the median, and the ends.`, 320, () => ({
    legend: { top: 0, data: windows.sides, textStyle: { color: colour("--text") } },
    xAxis: valueAxis("launch", { minInterval: 1, min: -0.5, max: Math.max(...windows.quantiles.map((each) => each.launch)) + 0.5,
      axisLabel: { formatter: (value: number) => (Number.isInteger(value) ? String(value + 1) : "") }, splitLine: { show: false } }),
    yAxis: logAxis("time of a call", { nameGap: 60, scale: true, axisLabel: { formatter: (value: number) => duration(value) } }),
    series: windows.sides.map((name, side) => ({
      type: "custom", name, color: colours[side % colours.length],
      encode: { x: 0, y: [1, 2, 3, 4, 5] },
      data: windows.quantiles.filter((each) => each.side === side)
        .map((each) => [each.launch, at(each.ns, 0), at(each.ns, 0.25), at(each.ns, 0.5), at(each.ns, 0.75), at(each.ns, 1)]),
      renderItem: (_: unknown, api: any) => {
        const place = (index: number) => api.coord([api.value(0), api.value(index)]);
        const width = Math.min(14, (0.7 * api.size([1, 0])[0]) / windows.sides.length);
        const x = place(1)[0] + (side - (windows.sides.length - 1) / 2) * (width + 2);
        const stroke = colours[side % colours.length];
        const line = (x1: number, y1: number, x2: number, y2: number, lineWidth: number) =>
          ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth } });
        return { type: "group", children: [
          line(x, place(1)[1], x, place(5)[1], 1),
          { type: "rect", shape: { x: x - width / 2, y: place(4)[1], width, height: Math.max(1, place(2)[1] - place(4)[1]) },
            style: { fill: stroke, opacity: 0.35, stroke } },
          line(x - width / 2, place(3)[1], x + width / 2, place(3)[1], 2),
        ] };
      },
    })),
  }));
}

// Where the time of a call goes: operators of torch, or dispatches of what IREE compiled.
function parts(root: HTMLElement, { parts }: Details): void {
  if (!parts) return;
  section(root, "Where the time of a call goes", element("p", { class: "hint" }, parts.title),
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Parts of a call" } }, table(parts.head, parts.rows)));
}

// What verification learnt: each round with its largest error as a share of what is allowed.
function evidence(root: HTMLElement, { attempt }: Details): void {
  const stage = attempt.stages.find((each) => each.stage === "verify");
  const rounds: any[] = stage?.evidence?.rounds ?? [];
  // As src/verify decides: errors are multiples of the baseline's own, and a policy says how many are good.
  const policy = stage?.evidence?.policy ?? {};
  const shown = rounds.flatMap((round) => {
    const shares = (round.outputs ?? []).flatMap((output: any) => [
      (output.rms_ratio ?? 0) / (policy.rms_reduced ?? 16),
      (output.max_ratio ?? 0) / (policy.max_most ?? 16),
    ]);
    // Where the baseline is exact, there is no ratio.
    if (round.complaints?.length && shares.every((share: number) => share <= 1)) shares.push(Infinity);
    if (shares.length === 0) return [];
    return [{ name: `${round.family}${round.size === "full" ? "" : `, ${round.size}`}`, worst: Math.max(...shares) }];
  });
  const complaints: any[] = stage?.evidence?.decided_by?.complaints ?? [];
  const first = complaints.find((each) => each.rule === stage?.evidence?.rule) ?? complaints[0];
  if (Array.isArray(first?.index))
    section(root, "First mismatch", table([`at [${first.index.join(", ")}] of ${first.name ?? `output ${first.output}`}`, "Value"],
      ["candidate", "baseline", "exact"].map((name) => [name, String(first[name])]), { class: "mismatch" }));
  if (shown.length === 0) return;
  section(root, "Errors", element("p", { class: "hint" }, "The largest in each round, beside what is allowed (the line)."),
    element("div", { class: "bars" }, ...shown.map(({ name, worst }) =>
      element("div", { class: "bar", title: `${name}: ${digits(worst)} of what is allowed` },
        element("span", { class: "name" }, name),
        element("span", { class: "track" }, element("span", { class: worst > 1 ? "fill over" : "fill", style: { width: `${Math.min(100, 50 * worst)}%` } })),
        element("span", { class: "value" }, digits(worst))))));
}

function stages(root: HTMLElement, { attempt }: Details): void {
  const all = attempt.stages.reduce((sum, stage) => sum + (stage.wall_ns ?? 0), 0);
  section(root, "Stages",
    all > 0 ? element("div", { class: "stages", role: "img",
      aria: { label: attempt.stages.map((stage) => `${stage.stage} ${duration(stage.wall_ns)}`).join(", ") } },
      ...attempt.stages.filter((stage) => stage.wall_ns).map((stage) =>
        element("span", { data: { stage: stage.stage }, title: `${stage.stage}: ${duration(stage.wall_ns)}`,
          style: { flexGrow: String(stage.wall_ns! / all) } }, stage.stage))) : null,
    table(["Stage", "Status", "Wall", "CPU", "Peak memory", "Reused", "Error"], attempt.stages.map((stage) => [
      stage.stage, words(stage.status) + (stage.rule ? ` (${stage.rule})` : stage.class ? ` (${stage.class})` : ""),
      duration(stage.wall_ns), duration(stage.cpu_ns), bytes(stage.peak_bytes), stage.reused ? "yes" : "", stage.error ?? ""])));
  for (const stage of attempt.stages)
    if (stage.detail)
      root.append(element("details", {}, element("summary", {}, `what ${stage.stage} said`), element("pre", {}, stage.detail)));
}

// What the processes of each stage held, over time.
function memory(charts: Charts, root: HTMLElement, { memory }: Details): void {
  if (!memory) return;
  const stages = Object.keys(memory);
  charts.add(root, "Memory", "What the processes of each stage held: what they share with others by parts.", 260, () => ({
    legend: { top: 0, data: stages, textStyle: { color: colour("--text") } },
    xAxis: valueAxis("time", { min: 0, axisLabel: { formatter: (value: number) => duration(value * 1e6) } }),
    yAxis: valueAxis("memory", { min: 0, nameGap: 60, axisLabel: { formatter: (value: number) => bytes(value) } }),
    series: stages.map((name, place) => ({
      type: "line", name, showSymbol: false, color: SERIES[place % SERIES.length], data: memory[name],
    })),
  }));
}

function source(root: HTMLElement, file: TextFile): void {
  const errors = new Map<number, string[]>();
  for (const { line, text } of file.errors) errors.set(line, [...(errors.get(line) ?? []), text]);
  const lines = file.text.split("\n");
  const code = element("div", { class: "source", tabindex: 0, role: "region", aria: { label: file.name } });
  highlighted(file.text, file.language).forEach((parts, i) => {
    code.append(element("div", { class: errors.has(i + 1) ? "line bad" : "line" },
      element("span", { class: "at", aria: { hidden: "true" } }, String(i + 1)),
      element("code", {}, ...parts)));
    for (const text of errors.get(i + 1) ?? []) code.append(element("div", { class: "error" }, text));
  });
  const short = lines.length <= 60 || file.errors.length > 0;
  section(root, file.name, element("details", { open: short }, element("summary", {}, `${lines.length} lines`), code,
    file.cut > 0 ? element("p", { class: "note" }, `${bytes(file.cut)} of it are left out.`) : null));
}

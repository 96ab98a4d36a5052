// The table of attempts. Rows that are not in sight are not in the page, so thousands stay fluid.

import type { Data, Row } from "../data.ts";
import { element, type Child } from "../elements.ts";
import { FILTERED, filtered, sorted, valuesOf } from "../filter.ts";
import { addressOfAttempt, change, place } from "../state.ts";
import type { Shown } from "../view.ts";
import { bytes, count, duration, OUTCOMES, ratio, SIGNS, VERDICTS, words } from "../words.ts";

interface Column {
  title: string;
  hint?: string;
  number?: boolean;
  cell: (row: Row) => Child;
}

export const verdictBadge = (verdict: string, text = words(verdict)) =>
  element("span", { class: "badge", data: { kind: verdict } }, `${SIGNS[verdict] ?? ""} ${text}`);

const text = (name: string) => (row: Row) => row[name];
const COLUMNS: Record<string, Column> = {
  problem: {
    title: "Problem",
    cell: (row) => element("a", { href: addressOfAttempt(row.id) }, String(row.problem)),
  },
  author: { title: "Author", cell: text("author") },
  file: { title: "File", hint: "where the id does not name it", cell: text("file") },
  target: { title: "Target", cell: text("target") },
  level: { title: "Level", cell: text("level") },
  verdict: { title: "Verdict", cell: (row) => verdictBadge(String(row.verdict), String(row.in_words)) },
  outcome: {
    title: "Speed",
    hint: "against the first baseline",
    cell: (row) => row.outcome && verdictBadge(String(row.outcome)),
  },
  ratio: {
    title: "Speed-up",
    number: true,
    cell: (row) => (row.ratio === null ? "" : ratio(row.ratio as number)),
  },
  interval: {
    title: "Interval",
    cell: (row) => (row.low === null ? "" : `${ratio(row.low as number)} to ${ratio(row.high as number)}`),
  },
  time_ns: { title: "Time", number: true, cell: (row) => (row.time_ns === null ? "" : duration(row.time_ns as number)) },
  operation: { title: "Operation", cell: text("operation") },
  profile_ns: {
    title: "Time (profile)",
    hint: "one launch, held against nothing",
    number: true,
    cell: (row) => ((row.profile_ns ?? null) === null ? "" : duration(row.profile_ns as number)),
  },
  profile_gflop_per_s: { title: "GFLOP/s", number: true, cell: text("profile_gflop_per_s") },
  profile_roofline_percent: { title: "% of roofline", number: true, cell: text("profile_roofline_percent") },
  reason: { title: "Reason", cell: text("reason") },
  error: { title: "Why", cell: text("error") },
  compile_ns: {
    title: "Compile",
    number: true,
    cell: (row) => (row.compile_ns === null ? "" : duration(row.compile_ns as number)),
  },
  artifact_bytes: {
    title: "Artifact",
    number: true,
    cell: (row) => (row.artifact_bytes === null ? "" : bytes(row.artifact_bytes as number)),
  },
  peak_bytes: {
    title: "Peak memory",
    number: true,
    cell: (row) => (row.peak_bytes === null ? "" : bytes(row.peak_bytes as number)),
  },
  setup_ns: { title: "Set-up", number: true, cell: (row) => (row.setup_ns === null ? "" : duration(row.setup_ns as number)) },
  fault: { title: "Fault", cell: text("fault") },
  isolation: { title: "Jail", cell: text("isolation") },
  id: { title: "Attempt", cell: text("id") },
};
const USUAL = ["problem", "author", "file", "target", "level", "verdict", "outcome", "ratio", "interval", "time_ns",
  "profile_ns", "profile_gflop_per_s", "profile_roofline_percent", "error"];
const SORTED_AS: Record<string, string> = { interval: "low" };

const ROW_PIXELS = 30;
const SPARE_ROWS = 12; // above and below what is in sight

// A name that says nothing of this run is not offered.
function columnsOf(data: Data): string[] {
  return Object.keys(COLUMNS).filter((name) =>
    data.rows.some((row) => (row[SORTED_AS[name] ?? name] ?? null) !== null),
  );
}

function chosen(data: Data): string[] {
  const there = columnsOf(data);
  const asked = place().settings.get("columns")?.split(",").filter((name) => there.includes(name));
  return asked?.length ? asked : USUAL.filter((name) => there.includes(name));
}

function filterBox(data: Data, name: string, update: () => void): Child {
  const values = valuesOf(data.rows, name);
  if (values.length < 2) return null;
  const order = name === "verdict" ? VERDICTS : name === "outcome" ? OUTCOMES : null;
  if (order) values.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  const now = new Set((place().settings.get(name) ?? "").split(",").filter(Boolean));
  const summary = element("summary", {}, "");
  const label = () => (summary.textContent = now.size ? `${words(name)}: ${[...now].map(words).join(", ")}` : words(name));
  label();
  return element(
    "details",
    { class: "choice", data: { name } },
    summary,
    element(
      "div",
      { class: "choices" },
      ...values.slice(0, 200).map(([value, number]) => {
        const box = element("input", { type: "checkbox", checked: now.has(value) });
        box.addEventListener("change", () => {
          if (box.checked) now.add(value);
          else now.delete(value);
          label();
          change({ [name]: [...now].join(",") });
          update();
        });
        return element("label", {}, box, ` ${words(value)} `, element("small", {}, String(number)));
      }),
    ),
  );
}

export function attempts(data: Data, root: HTMLElement): Shown {
  let rows: Row[] = [];
  let columns = chosen(data);
  const total = element("p", { class: "total", role: "status" });
  const head = element("thead");
  const body = element("tbody");
  const above = element("div");
  const below = element("div");
  const scroller = element(
    "div",
    { class: "rows", tabindex: 0, aria: { label: "Attempts" }, role: "region" },
    above,
    element("table", { class: "attempts" }, head, body),
    below,
  );
  let first = -1;
  let last = -1;

  const draw = (all = false) => {
    const from = all ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW_PIXELS) - SPARE_ROWS);
    const to = all
      ? rows.length
      : Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW_PIXELS) + SPARE_ROWS);
    if (from === first && to === last) return;
    [first, last] = [from, to];
    above.style.height = `${from * ROW_PIXELS}px`;
    below.style.height = `${(rows.length - to) * ROW_PIXELS}px`;
    body.replaceChildren(
      ...rows.slice(from, to).map((row) =>
        element(
          "tr",
          {},
          ...columns.map((name) =>
            element("td", { class: COLUMNS[name]!.number ? "number" : "", data: { column: name } }, COLUMNS[name]!.cell(row)),
          ),
        ),
      ),
    );
  };

  const drawHead = () => {
    const by = place().settings.get("sort") ?? "";
    head.replaceChildren(
      element(
        "tr",
        {},
        ...columns.map((name) => {
          const column = SORTED_AS[name] ?? name;
          const direction = by === column ? "ascending" : by === `-${column}` ? "descending" : "none";
          const button = element(
            "button",
            {
              type: "button",
              title: COLUMNS[name]!.hint,
              on: {
                click: () => {
                  const numbers = COLUMNS[name]!.number ?? name === "interval";
                  // The largest number first, the first word first; then the other way; then as planned.
                  const steps = numbers ? [`-${column}`, column, ""] : [column, `-${column}`, ""];
                  change({ sort: steps[(steps.indexOf(by) + 1) % steps.length]! });
                  drawHead();
                  update();
                  (head.querySelector(`[data-column="${name}"] button`) as HTMLElement).focus();
                },
              },
            },
            COLUMNS[name]!.title,
            direction === "ascending" ? " ↑" : direction === "descending" ? " ↓" : "",
          );
          return element("th", { scope: "col", data: { column: name }, aria: { sort: direction } }, button);
        }),
      ),
    );
  };

  const update = (stays = false) => {
    const settings = place().settings;
    rows = sorted(filtered(data, settings), settings.get("sort") ?? "");
    const cause = data.table.causes[Number(settings.get("cause") ?? NaN)];
    total.replaceChildren(
      rows.length === data.rows.length ? count(rows.length, "attempt") : `${rows.length} of ${count(data.rows.length, "attempt")}`,
    );
    if (cause)
      total.append(` with the cause “${cause.text}” `, element("a", { href: "#attempts" }, "show all"));
    first = last = -1;
    if (!stays) scroller.scrollTop = 0;
    draw();
  };

  const search = element("input", {
    type: "search",
    id: "search",
    placeholder: "Search: words of ids, verdicts, errors",
    value: place().settings.get("q") ?? "",
    aria: { label: "Search attempts" },
  });
  search.addEventListener("input", () => {
    change({ q: search.value });
    update();
  });
  const filters = element("div", { class: "boxes" });
  const drawFilters = () =>
    filters.replaceChildren(...FILTERED.map((name) => filterBox(data, name, () => update())).filter((box) => box instanceof Node));
  drawFilters();
  const choice = element(
    "details",
    { class: "choice", data: { name: "columns" } },
    element("summary", {}, "columns"),
    element(
      "div",
      { class: "choices" },
      ...columnsOf(data).map((name) => {
        const box = element("input", { type: "checkbox", checked: columns.includes(name) });
        box.addEventListener("change", () => {
          const now = new Set(columns);
          if (box.checked) now.add(name);
          else now.delete(name);
          columns = columnsOf(data).filter((each) => now.has(each));
          change({ columns: columns.join(",") });
          drawHead();
          first = last = -1;
          draw();
        });
        return element("label", {}, box, ` ${COLUMNS[name]!.title}`);
      }),
    ),
  );
  root.append(
    element("h2", {}, "Attempts"),
    element("div", { class: "filters" }, search, filters, choice),
    total,
    scroller,
  );
  scroller.addEventListener("scroll", () => draw());
  const onResize = () => draw();
  const onPrint = () => draw(true);
  window.addEventListener("resize", onResize);
  window.addEventListener("beforeprint", onPrint);
  drawHead();
  update();
  return {
    update() {
      // Not under the hand of whoever chooses there.
      if (!filters.contains(document.activeElement)) drawFilters();
      const there = chosen(data);
      if (there.join() !== columns.join()) {
        columns = there;
        drawHead();
      }
      update(true);
    },
    dispose() {
      window.removeEventListener("resize", onResize);
      window.removeEventListener("beforeprint", onPrint);
    },
  };
}

// Who passes where: levels by targets, and problems by authors.

import type { AuthorTable, Data, Row } from "../data.ts";
import { element } from "../elements.ts";
import { filtered, valuesOf } from "../filter.ts";
import { address, addressOfAttempt, place } from "../state.ts";
import { count, digits, duration, PASSED, SIGNS, words } from "../words.ts";

const MOST_PROBLEMS = 500;

export function matrix(data: Data, root: HTMLElement): void {
  const rows = filtered(data, place().settings);
  if (data.table.by_author) root.append(element("h2", {}, "Time of one call"), times(data.table.by_author));
  root.append(element("h2", {}, "Levels by targets"), levels(rows), element("h2", {}, "Problems by authors"));
  const names = valuesOf(rows, "problem").map(([name]) => name).sort(new Intl.Collator("en", { numeric: true }).compare);
  root.append(problems(rows, names.slice(0, MOST_PROBLEMS)));
  if (names.length > MOST_PROBLEMS)
    root.append(element("p", { class: "note" }, `The first ${MOST_PROBLEMS} of ${count(names.length, "problem")}.`));
}

// Of all of the run: a mean over a part of its problems would be another one.
function times(table: AuthorTable) {
  const cell = (each: AuthorTable["problems"][number]["cells"][number]) => {
    const said = each.median_ns === null ? each.said ?? "" : `${duration(each.median_ns)}${each.fastest ? " *" : ""}`;
    const title = each.median_ns === null || each.low_ns === null || each.high_ns === null
      ? undefined : `${duration(each.low_ns)} to ${duration(each.high_ns)}`;
    const link = each.attempt === null ? said : element("a", { href: addressOfAttempt(each.attempt), title }, said);
    return element("td", each.fastest ? { class: "fastest" } : {}, link);
  };
  const mean = table.in_mean === 0 ? [] : [
    element("tr", {}, element("th", { scope: "row" }, `mean of ${table.in_mean}`),
      ...table.means.map((each) => element("td", {}, `${digits(each)}x`))),
  ];
  return element(
    "div",
    { class: "wide", tabindex: 0, role: "region", aria: { label: "Time of one call, problems by authors" } },
    element("p", { class: "note" },
      `A star is where no other is faster by its interval. The mean is geometric, over what all could do: times as fast as ${table.authors[0]}.`),
    element(
      "table",
      { class: "matrix" },
      element("thead", {}, element("tr", {}, ...["Problem", ...table.authors].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {},
        ...table.problems.map((line) =>
          element("tr", {}, element("th", { scope: "row" }, line.problem), ...line.cells.map(cell))),
        ...mean),
    ),
  );
}

const levelName = (row: Row) => `${row.suite}${row.level ? "/" + row.level : ""}`;

function levels(rows: Row[]) {
  const targets = valuesOf(rows, "target").map(([name]) => name).sort();
  const names = [...new Set(rows.map(levelName))].sort();
  const cell = (level: string | null, target: string | null) => {
    const here = rows.filter(
      (row) =>
        (level === null || levelName(row) === level) &&
        (target === null || row.target === target),
    );
    if (here.length === 0) return element("td", {}, "");
    const passed = here.filter((row) => PASSED.has(String(row.verdict))).length;
    const share = passed / here.length;
    const settings: Record<string, string> = {};
    if (target !== null) settings.target = target;
    if (level?.includes("/")) settings.level = level.slice(level.indexOf("/") + 1);
    return element(
      "td",
      { class: "share", style: { backgroundColor: `color-mix(in srgb, var(--passed) ${Math.round(share * 30)}%, transparent)` } },
      element("a", { href: address("attempts", settings) }, `${passed}/${here.length}`),
      element("small", {}, ` ${share === 1 ? "100" : digits(Math.min(99.9, 100 * share))} %`),
    );
  };
  return element(
    "table",
    { class: "matrix" },
    element("thead", {}, element("tr", {}, ...["Level", ...targets, "all"].map((name) => element("th", { scope: "col" }, name)))),
    element(
      "tbody",
      {},
      ...[...names, null].map((level) =>
        element("tr", {}, element("th", { scope: "row" }, level ?? "all"),
          ...[...targets, null].map((target) => cell(level, target))),
      ),
    ),
  );
}

function problems(rows: Row[], names: string[]) {
  const authors = valuesOf(rows, "author").map(([name]) => name).sort();
  const at = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.problem, row.author]);
    at.set(key, [...(at.get(key) ?? []), row]);
  }
  return element(
    "div",
    { class: "wide", tabindex: 0, role: "region", aria: { label: "Problems by authors" } },
    element(
      "table",
      { class: "matrix" },
      element("thead", {}, element("tr", {}, ...["Problem", ...authors].map((name) => element("th", { scope: "col" }, name)))),
      element(
        "tbody",
        {},
        ...names.map((problem) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, problem),
            ...authors.map((author) =>
              element("td", {}, ...(at.get(JSON.stringify([problem, author])) ?? []).map((row) => {
                const kind = String(row.outcome ?? row.verdict);
                const said = `${row.in_words}${row.ratio === null ? "" : `, ${digits(Number(row.ratio))}x`}`;
                return element(
                  "a",
                  { class: "cell", href: addressOfAttempt(row.id), data: { kind }, title: `${row.id}: ${said}`,
                    aria: { label: `${problem} by ${author} on ${row.target}: ${words(said)}` } },
                  SIGNS[kind] ?? "?",
                );
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

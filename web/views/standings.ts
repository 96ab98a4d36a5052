// Authors of several runs on the problems that all of them have, and each against each. The data are those
// of `assay report RUN RUN... --format json`, which docs/formats.md describes.

import { element, table } from "../elements.ts";
import { count, digits } from "../words.ts";
import { suites, type Suites } from "./suites.ts";

interface Entrant {
  name: string;
  run: string;
  author: string;
  correct: number;
  faster: number;
  geometric_mean: number;
  wins: number;
  losses: number;
}

interface Match {
  a: string;
  b: string;
  problems: number;
  a_faster: number;
  same: number;
  b_faster: number;
  undecided: number;
  only_a: number;
  only_b: number;
  neither: number;
}

export interface Standings {
  runs: string[];
  problems: number;
  entrants: Entrant[]; // the best first
  matches: Match[];
  suites?: Suites; // of kernels with tests
}

const MOST_IN_MATRIX = 30; // entrants

export function standings(data: Standings, root: HTMLElement): void {
  root.append(
    element("h2", {}, `${count(data.entrants.length, "entrant")} on ${count(data.problems, "problem")}`),
    element("p", {}, `Of ${count(data.runs.length, "run")}, on the problems that every entrant has. Where one hands in several candidates, the best counts.`),
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Standings" } },
      table(["Entrant", "Right", "Faster", "Mean speed-up", "Wins", "Losses", "Run"],
        data.entrants.map((each) => [each.name, bar(each.correct, data.problems, "accepted"), bar(each.faster, data.problems, "faster"),
          `${digits(each.geometric_mean)}x`, String(each.wins), String(each.losses), each.run]), { class: "standings" })),
    element("p", { class: "hint" }, "Right and faster are of all problems; faster is than the baseline, by each one's own comparison. In the mean, what is wrong, " +
      "undecided or not timed counts as 1. A win is against another entrant on one problem: both are right, and one is faster, by the order of " +
      "launches, with Holm's correction over problems and Bonferroni's over pairs."),
  );
  if (data.suites) suites(data.suites, root);
  if (data.matches.length === 0) return;
  const names = data.entrants.map((each) => each.name).slice(0, MOST_IN_MATRIX);
  const between = new Map<string, Match>();
  for (const match of data.matches) {
    between.set(JSON.stringify([match.a, match.b]), match);
    between.set(JSON.stringify([match.b, match.a]), turned(match));
  }
  root.append(
    element("h2", {}, "Each against each"),
    element("p", { class: "hint" }, "Wins, the same and losses of the row against the column; below, on how many problems only one of them is right."),
    element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Each against each" } },
      element("table", { class: "matrix" },
        element("thead", {}, element("tr", {}, ...["", ...names].map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, ...names.map((row) => element("tr", {}, element("th", { scope: "row" }, row),
          ...names.map((column) => cell(row, column, between.get(JSON.stringify([row, column])))))))) ),
  );
  if (names.length < data.entrants.length)
    root.append(element("p", { class: "note" }, `The first ${MOST_IN_MATRIX} of ${count(data.entrants.length, "entrant")}; --format json has all.`));
}

const turned = (match: Match): Match => ({
  ...match, a: match.b, b: match.a, a_faster: match.b_faster, b_faster: match.a_faster, only_a: match.only_b, only_b: match.only_a,
});

function cell(row: string, column: string, match: Match | undefined) {
  if (!match) return element("td", {}, row === column ? "–" : "");
  const ahead = match.a_faster + match.only_a - match.b_faster - match.only_b;
  const kind = ahead > 0 ? "--faster" : ahead < 0 ? "--rejected" : "--quiet";
  const said = `${row} against ${column}: ${match.a_faster} faster, ${match.same} the same, ${match.b_faster} slower, ${match.undecided} undecided; ` +
    `alone right on ${match.only_a}, alone wrong on ${match.only_b}, neither right on ${match.neither}, of ${count(match.problems, "problem")}`;
  return element("td", { title: said, style: { backgroundColor: `color-mix(in srgb, var(${kind}) 12%, transparent)` } },
    element("span", { aria: { label: said }, role: "img" }, `${match.a_faster} · ${match.same} · ${match.b_faster}`),
    element("br"), element("small", { aria: { hidden: "true" } }, `${match.only_a} / ${match.only_b} right alone`));
}

function bar(part: number, whole: number, kind: string) {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return element("span", { class: "share-bar", data: { kind } }, element("span", { class: "track" }, element("span", { class: "part", style: { width: `${share}%` } })), ` ${part}/${whole}`);
}

// The first view: what was run, what came of it, and what somebody has to look at.

import type { Data } from "../data.ts";
import { element, table } from "../elements.ts";
import { valuesOf } from "../filter.ts";
import { address, addressOfAttempt } from "../state.ts";
import { count, digits, duration, OUTCOMES, PASSED, percent, ratio, VERDICTS, words } from "../words.ts";
import { verdictBadge } from "./attempts.ts";
import { suites } from "./suites.ts";

const SHOWN_CAUSES = 12;

export function overview(data: Data, root: HTMLElement): void {
  const { table: all, rows } = data;
  const verdicts = new Map(valuesOf(rows, "verdict"));
  const outcomes = new Map(valuesOf(rows, "outcome"));
  const passed = [...PASSED].reduce((sum, verdict) => sum + (verdicts.get(verdict) ?? 0), 0);
  root.append(
    element("h2", {}, `${passed} of ${count(rows.length, "attempt")} passed`),
    element(
      "p",
      { class: "tiles" },
      ...VERDICTS.filter((verdict) => verdicts.has(verdict)).map((verdict) =>
        tile(verdict, verdicts.get(verdict)!, address("attempts", { verdict })),
      ),
      ...OUTCOMES.filter((outcome) => outcomes.has(outcome)).map((outcome) =>
        tile(outcome, outcomes.get(outcome)!, address("attempts", { outcome })),
      ),
    ),
  );
  for (const note of all.notes ?? []) root.append(element("p", { class: "note" }, note));
  if (all.suites) suites(all.suites, root);

  if (all.causes.length > 0) {
    root.append(element("h2", {}, "Action required"));
    const shown = all.causes.slice(0, SHOWN_CAUSES);
    root.append(
      table(
        ["Attempts", "Where", "Cause", "Targets", "For example"],
        shown.map((cause, number) => [
          element("a", { href: address("attempts", { cause: String(number) }) }, String(cause.attempts.length)),
          element("span", {}, verdictBadge(cause.status, cause.where)),
          cause.text,
          cause.targets.join(" "),
          example(data, cause.attempts[0]!),
        ]),
        { class: "causes" },
      ),
    );
    if (all.causes.length > shown.length)
      root.append(
        element("p", {}, `${count(all.causes.length - shown.length, "more cause")}: `,
          element("a", { href: address("attempts", { verdict: "failed,rejected,unsupported" }) }, "all of their attempts")),
      );
  }

  const timed = rows.filter((row) => row.ratio !== null);
  if (timed.length > 0) {
    const best = [...timed].filter((row) => row.outcome === "faster").sort((a, b) => Number(b.low) - Number(a.low)).slice(0, 5);
    if (best.length > 0) {
      root.append(
        element("h2", {}, "Fastest"),
        element("p", { class: "hint" }, "By the lower end of the interval: what is at least gained."),
        table(
          ["Problem", "Author", "Speed-up", "Interval"],
          best.map((row) => [
            element("a", { href: addressOfAttempt(row.id) }, String(row.problem)),
            row.author,
            ratio(row.ratio as number),
            `${ratio(row.low as number)} to ${ratio(row.high as number)}`,
          ]),
        ),
        element("p", {}, element("a", { href: "#speed" }, "All speed-ups")),
      );
    }
  }

  root.append(element("h2", {}, "How one can know"));
  root.append(element("p", {}, knowing(data)));
  errors(data, root);
  root.append(
    element("h2", {}, "What was run, and on what"),
    table(["", ""], all.provenance, { class: "provenance" }),
  );
}

// How often the judge errs, beside how small a difference counts here.
function errors({ table: { error_rates: rates, resolution } }: Data, root: HTMLElement): void {
  if (rates) {
    root.append(
      element("p", {}, "assay was judged itself, by kernels of which the truth is known:"),
      element("div", { class: "wide", tabindex: 0, role: "region", aria: { label: "Error rates" } },
        table(["What would be an error", "Errors", "Tried", "95 % sure: at most", "On", "When"],
          rates.rows.map((each) => [each.what, String(each.wrong), String(each.of), `${each.at_most_percent} %`, each.machine,
            each.dates.length > 1 ? `${each.dates[0]} to ${each.dates.at(-1)}` : each.dates[0] ?? ""]), { class: "errors" })),
    );
  }
  root.append(element("p", {}, resolution
    ? `The machine that wrote this page decides differences from ${digits(100 * resolution.smallest)} % on, in a minute, of a kernel of ` +
      `${duration(resolution.call_ns)} (assay doctor --timing, ${resolution.created}).`
    : "How small a difference this machine decides is not known: assay doctor --timing finds out."));
}

function tile(kind: string, number: number, href: string) {
  return element("a", { class: "tile", href, data: { kind } }, element("strong", {}, String(number)), ` ${words(kind)}`);
}

function example(data: Data, index: number) {
  const row = data.rows[index]!;
  return element("a", { href: addressOfAttempt(row.id) }, row.id);
}

function knowing(data: Data): string {
  const verified = data.rows.filter((row) => row.verdict === "accepted" || row.verdict === "rejected").length;
  const timed = data.rows.filter((row) => row.ratio !== null);
  const undecided = timed.filter((row) => row.outcome === "undecided").length;
  const sentences = [];
  if (verified > 0)
    sentences.push(
      `${count(verified, "candidate")} ran in a jail, on inputs of several kinds that were drawn from a secret seed, and ` +
        "each result was compared with one in double precision.",
    );
  if (timed.length > 0)
    sentences.push(
      "Candidate and baseline were timed in turn, in processes of their own. A speed-up is a ratio with an interval over " +
        `launches. Where that cannot tell, the outcome is undecided: ${undecided} of ${timed.length} here ` +
        `(${percent(undecided / timed.length)}).`,
    );
  if (sentences.length === 0) sentences.push("Nothing was verified or timed here: these attempts were compiled.");
  return sentences.join(" ");
}

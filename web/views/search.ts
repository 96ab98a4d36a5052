// What models were asked, and what came of it: for each problem the tree of answers, from the first draft to
// what was mended and made faster.

import type { Answer, Data, Tree } from "../data.ts";
import { element, type Child } from "../elements.ts";
import { addressOfAttempt, change, place } from "../state.ts";
import { count, ratio, words } from "../words.ts";
import { verdictBadge } from "./attempts.ts";

const MOST_TREES = 200; // in the page at once
const COLOUR_OF: Record<string, string> = { success: "accepted", partial: "equal", compiled: "compiled", failed: "failed", "not judged": "", "at work": "" };

export function search(data: Data, root: HTMLElement): void {
  const trees = data.table.trees ?? [];
  const { settings } = place();
  const wanted = (settings.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const status = settings.get("status") ?? "";
  const statuses = new Map<string, number>();
  for (const tree of trees) statuses.set(tree.status, (statuses.get(tree.status) ?? 0) + 1);
  root.append(
    element("h2", {}, count(trees.length, "search").replace("searchs", "searches")),
    element("p", { class: "tiles" }, ...[...statuses].map(([name, number]) =>
      element("a", { class: "tile", href: `#search?status=${encodeURIComponent(name)}`, data: { kind: COLOUR_OF[name] ?? "" } },
        element("strong", {}, String(number)), ` ${name}`))),
  );
  const field = element("input", { type: "search", id: "search", placeholder: "Search: words of problems and models", value: settings.get("q") ?? "",
    aria: { label: "Search problems" } });
  const list = element("div");
  const draw = (words: string[]) => {
    const found = trees.filter((tree) =>
      (!status || tree.status === status) && words.every((word) => `${tree.problem} ${tree.model}`.toLowerCase().includes(word)));
    list.replaceChildren(...found.slice(0, MOST_TREES).map((tree) => drawTree(tree, found.length === 1)));
    if (found.length > MOST_TREES) list.append(element("p", { class: "note" }, `The first ${MOST_TREES} of ${found.length}.`));
  };
  field.addEventListener("input", () => {
    change({ q: field.value });
    draw(field.value.toLowerCase().split(/\s+/).filter(Boolean));
  });
  root.append(element("div", { class: "filters" }, field, status && element("a", { href: "#search" }, "show all")), list);
  draw(wanted);
}

function drawTree(tree: Tree, isAlone: boolean): HTMLElement {
  const children = new Map<number, Answer[]>();
  for (const node of tree.nodes) {
    // One of several parents has it below it; the others are named.
    const parent = node.parents[0] ?? 0;
    children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const best = tree.nodes.find((node) => node.number === tree.best);
  return element("details", { class: "tree", open: isAlone || tree.nodes.length <= 12 },
    element("summary", {}, element("span", { class: "badge", data: { kind: COLOUR_OF[tree.status] ?? "" } }, tree.status), ` ${tree.problem} `,
      element("small", {}, `${tree.model}, ${count(tree.nodes.length, "answer")}${best?.ratio ? `, the best ${ratio(best.ratio)}` : ""}`)),
    below(children, 0, tree));
}

function below(children: Map<number, Answer[]>, parent: number, tree: Tree): HTMLElement | null {
  const nodes = children.get(parent);
  if (!nodes) return null;
  return element("ol", { class: "answers" }, ...nodes.map((node) =>
    element("li", { data: { best: String(node.number === tree.best) } }, ...line(node, tree), below(children, node.number, tree))));
}

function line(node: Answer, tree: Tree): Child[] {
  const name = `${node.number}: ${node.step}`;
  const more = [
    node.parents.length > 1 ? `of ${node.parents.join(" and ")}` : "",
    node.same_as ? `the code is that of ${node.same_as}` : "",
    node.number === tree.best ? "the best" : "",
    node.confirmed ? "judged once more" : "",
    node.idea,
  ].filter(Boolean);
  return [
    node.attempt && !node.same_as ? element("a", { href: addressOfAttempt(node.attempt) }, name) : name,
    " ",
    node.verdict
      ? verdictBadge(node.verdict, node.reason && node.verdict !== "accepted" ? `${words(node.verdict)}: ${node.reason}` : words(node.verdict))
      : element("em", {}, node.at),
    " ",
    node.outcome ? verdictBadge(node.outcome, `${node.outcome}, ${ratio(node.ratio)}`) : null,
    more.length > 0 ? element("small", {}, ` ${more.join("; ")}`) : null,
  ];
}

// How well authors answer kernels that bring tests along: the tables of `--format score`.

import { element, table } from "../elements.ts";

export interface Suites {
  accuracy: string[][]; // each with its head first
  at_k: string[][]; // empty: nobody has several passes
  notes: string[];
}

export function suites(data: Suites, root: HTMLElement): void {
  root.append(element("h2", {}, "Kernels with tests"), wide("Accuracy", data.accuracy));
  if (data.at_k.length > 0) root.append(element("h3", {}, "One of k passes"), wide("pass@k", data.at_k));
  root.append(element("p", { class: "hint" }, `${data.notes.join(". ")}.`));
}

function wide(label: string, [head, ...rows]: string[][]) {
  return element("div", { class: "wide", tabindex: 0, role: "region", aria: { label } }, table(head ?? [], rows));
}

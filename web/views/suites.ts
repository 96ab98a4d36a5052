// How well authors answer kernels that bring tests along: the tables of `--format score`.

import { element, table } from "../elements.ts";

export interface Suites {
  accuracy: string[][]; // each with its head first
  at_k: string[][]; // empty: nobody has several passes
  notes: string[];
}

export function suites(data: Suites, root: HTMLElement): void {
  root.append(element("h2", {}, "Kernels with tests"));
  for (const [label, [head, ...rows]] of [["Accuracy", data.accuracy], ["pass@k", data.at_k]] as const)
    if (head)
      root.append(element("div", { class: "wide", tabindex: 0, role: "region", aria: { label } }, table(head, rows)));
  for (const note of data.notes) root.append(element("p", { class: "hint" }, note));
}

// What the page shows: written by src/report/html.cc, which docs/formats.md describes. The table of all
// attempts is decoded at once; what else is known of each lies in blocks that are decoded when someone
// looks at one of its attempts.

import type { Suites } from "./views/suites.ts";

export const FORMAT = 1;

export type Cell = string | number | null;

export interface Cause {
  text: string;
  where: string;
  status: string;
  problems: number;
  targets: string[];
  attempts: number[]; // rows
}

// What is said of the run as a whole.
export interface Head {
  format: number;
  title: string;
  provenance: [string, string][];
  rows: number;
  rows_per_block: number;
  causes: Cause[];
  notes?: string[]; // what was left out, a sentence each
  dead_band: number;
  by_author?: AuthorTable; // of a run of several compilers
  suites?: Suites; // of kernels with tests
  trees?: Tree[]; // of a run of `assay write`
  resolution?: { created: string; smallest: number; call_ns: number }; // of the machine that wrote the page
  error_rates?: { rows: ErrorRate[] };
}

// How long one call takes by each author, problem by problem.
export interface AuthorTable {
  authors: string[]; // the one that the others are held against first
  problems: { problem: string; cells: AuthorCell[] }[];
  in_mean: number; // problems of which all have a time
  means: number[]; // how many times as fast as the first author
}

export interface AuthorCell {
  attempt: string | null;
  said: string | null; // of what has no time
  median_ns: number | null;
  low_ns: number | null;
  high_ns: number | null;
  fastest: boolean; // no other is faster by its interval
}

export interface ErrorRate {
  what: string;
  of: number;
  wrong: number;
  at_most_percent: number; // 95 % sure
  machine: string;
  dates: string[];
}

// What was asked of a model for one problem, and what came of it.
export interface Tree {
  problem: string; // <suite>/<level>/<target>/<problem>
  model: string;
  status: string;
  best: number; // of its nodes; 0: none
  nodes: Answer[];
}

export interface Answer {
  number: number;
  step: string;
  parents: number[];
  idea: string;
  at: string; // asked, no answer, not judged yet, judged
  tokens?: number;
  attempt?: string | null;
  verdict?: string;
  reason?: string;
  outcome?: string | null;
  ratio?: number | null;
  same_as?: number;
  confirmed?: boolean;
}

export interface Table extends Head {
  columns: Columns;
}

export type Columns = Record<string, Column>;
// Words of few kinds as their numbers in a list, all else as it is.
export type Column = { words: string[]; at: number[] } | Cell[];

export interface Stage {
  stage: string;
  status: string;
  class: string | null;
  rule: string | null;
  error: string | null;
  detail: string | null;
  wall_ns: number | null;
  cpu_ns: number | null;
  peak_bytes: number | null;
  reused: boolean;
  reuse: string | null;
  evidence: any;
}

export interface Quantiles {
  launch: number;
  side: number;
  ns: number[]; // of one call, sorted
}

export interface TextFile {
  name: string;
  language: string;
  text: string;
  cut: number; // bytes that were left out
  errors: { line: number; text: string }[];
}

export interface Details {
  attempt: {
    id: string;
    workload: string;
    path: string;
    author: string;
    target: string;
    verdict: string;
    outcome: string | null;
    reason: string | null;
    error: string | null;
    reproduce: string;
    isolation: string | null;
    seed: string | null;
    timing: any;
    stages: Stage[];
    artifacts: { name: string; sha256: string; bytes: number }[];
    [more: string]: any;
  };
  sentence: string;
  words: string; // what `assay show` says of it
  windows: { clock: string; sides: string[]; quantiles: Quantiles[] } | null;
  memory: Record<string, [number, number][]> | null; // by stage: milliseconds, and bytes then
  parts: { title: string; head: string[]; rows: string[][] } | null; // where the time of a call goes
  answer?: (Answer & { problem: string; sample: number; model: string; diff: { from: number; text: string; cut: number } | null }) | null;
  files: TextFile[];
  phases?: Phase[]; // of a run with --phases
}

// What a program is after a phase of the compiler.
export interface Phase {
  number: number;
  name: string;
  bytes: number;
  operations: string; // how many; "": its text was not read
  most: string; // the most frequent of them
  diff: string | null; // to the phase before; null: this is the first, or one of the two was not read
  cut: number; // bytes of it that are left out
}

export interface Row {
  index: number;
  id: string;
  [column: string]: Cell;
}

export const has = (id: string) => document.getElementById(id) !== null;

export async function decode(id: string): Promise<any> {
  const holder = document.getElementById(id);
  if (!holder) throw new Error(`this page has no ${id}: it is not whole`);
  const bytes = Uint8Array.from(atob(holder.textContent!.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Puts columns into rows, in their order.
export function fill(rows: Row[], columns: Columns): void {
  for (const [name, column] of Object.entries(columns)) {
    if (Array.isArray(column)) rows.forEach((row, i) => (row[name] = column[i] ?? null));
    else rows.forEach((row, i) => (row[name] = column.words[column.at[i]!] || null));
  }
}

export function check(head: Head): void {
  if (head.format !== FORMAT) throw new Error(`the data are of format ${head.format}, and this page reads ${FORMAT}`);
}

// Of a page from disk, which has all that it will ever have. live.ts has those of a run that goes on.
export class Data {
  private blocks = new Map<number, Promise<Details[]>>();

  constructor(
    public table: Head,
    public rows: Row[],
  ) {}

  static async read(): Promise<Data> {
    const table: Table = await decode("assay-table");
    check(table);
    const rows = Array.from({ length: table.rows }, (_, index) => ({ index }) as Row);
    fill(rows, table.columns);
    return new Data(table, rows);
  }

  // Nothing where the page was written without details.
  async details(index: number): Promise<Details | null> {
    const block = Math.floor(index / this.table.rows_per_block);
    if (!document.getElementById(`assay-block-${block}`)) return null;
    if (!this.blocks.has(block)) this.blocks.set(block, decode(`assay-block-${block}`));
    return (await this.blocks.get(block)!)[index % this.table.rows_per_block] ?? null;
  }

  row(id: string): Row | undefined {
    return this.rows.find((row) => row.id === id);
  }
}

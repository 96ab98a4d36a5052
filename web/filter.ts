// Which attempts are looked at: words that each must have, and values of columns, as the address has them.

import type { Cause, Data, Row } from "./data.ts";

export const FILTERED = ["verdict", "outcome", "author", "level", "target", "reason"] as const;

const haystacks = new WeakMap<Row, string>();

function haystack(row: Row): string {
  let text = haystacks.get(row);
  if (text === undefined) {
    text = ["id", "file", "in_words", "reason", "error"].map((name) => row[name] ?? "").join(" ").toLowerCase();
    haystacks.set(row, text);
  }
  return text;
}

export function filtered(data: Data, settings: URLSearchParams): Row[] {
  const words = (settings.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = FILTERED.flatMap((name) => {
    const values = settings.get(name);
    return values ? [[name, new Set(values.split(","))] as const] : [];
  });
  const cause: Cause | undefined = data.table.causes[Number(settings.get("cause") ?? NaN)];
  const rows = cause ? cause.attempts.map((index) => data.rows[index]!) : data.rows;
  return rows.filter(
    (row) =>
      wanted.every(([name, values]) => values.has(String(row[name] ?? ""))) &&
      (words.length === 0 || words.every((word) => haystack(row).includes(word))),
  );
}

// The values of a column, the most frequent first.
export function valuesOf(rows: Row[], column: string): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = row[column];
    if (value !== null && value !== undefined && value !== "")
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

// What stands nowhere goes to the end, whichever way round. "v2" before "v10".
const collator = new Intl.Collator("en", { numeric: true });
export function sorted(rows: Row[], by: string): Row[] {
  if (!by) return rows;
  const down = by.startsWith("-");
  const column = by.replace(/^-/, "");
  return [...rows].sort((one, other) => {
    const a = one[column] ?? null;
    const b = other[column] ?? null;
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const order = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
    return down ? -order : order;
  });
}

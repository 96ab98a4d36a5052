// Numbers and words as people read them.

export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return "–";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]] as const)
    if (Math.abs(ns) >= size) return `${digits(ns / size)} ${unit}`;
  return `${digits(ns)} ns`;
}

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return "–";
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const)
    if (count >= size) return `${digits(count / size)} ${unit}`;
  return `${count} B`;
}

// Three digits that count.
export function digits(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : String(value);
  const shown = value.toPrecision(3);
  return shown.includes("e") ? String(Math.round(value)) : shown;
}

export const ratio = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : `${digits(value)}x`;

export const percent = (share: number) => `${digits(100 * share)} %`;

export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// A sign beside each colour, for whoever does not see it.
export const SIGNS: Record<string, string> = {
  accepted: "✓",
  compiled: "✓",
  exported: "✓",
  rejected: "✗",
  failed: "!",
  unsupported: "–",
  not_judged: "?",
  faster: "▲",
  equal: "=",
  slower: "▼",
  undecided: "?",
  correct: "✓",
};

export const VERDICTS = ["failed", "rejected", "unsupported", "not_judged", "accepted", "compiled", "exported"];
export const PASSED = new Set(["accepted", "compiled", "exported"]);
export const OUTCOMES = ["faster", "equal", "slower", "undecided"];
export const words = (verdict: string) => verdict.replace(/_/g, " ");

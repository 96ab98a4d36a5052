// Colours for sources: comments, strings, numbers and words of the language. A reader needs no more, and
// what a candidate writes stays text.

import { element } from "./elements.ts";

const WORDS: Record<string, string> = {
  python:
    "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield",
  c: "auto bool break case char class const constexpr continue default delete do double else enum extern false float for if inline int int32_t int64_t long namespace new nullptr operator private public restrict return short signed size_t sizeof static struct switch template this true typedef typename uint32_t uint64_t union unsigned using void volatile while __global__ __shared__ __device__",
  mlir: "func module tensor memref return linalg arith scf affine vector true false",
};
const COMMENTS: Record<string, string> = {
  python: "#[^\\n]*",
  c: "//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)",
  mlir: "//[^\\n]*",
};

// The parts of each line.
export function highlighted(text: string, language: string): Node[][] {
  const comments = COMMENTS[language];
  if (!comments) return text.split("\n").map((line) => [document.createTextNode(line)]);
  const strings = (language === "python" ? "\"\"\"[\\s\\S]*?(?:\"\"\"|$)|'''[\\s\\S]*?(?:'''|$)|" : "") +
    "\"(?:[^\"\\\\\\n]|\\\\.)*\"?|'(?:[^'\\\\\\n]|\\\\.)*'?";
  const pattern = new RegExp(`(?<comment>${comments})|(?<string>${strings})|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_]\\w*)`, "g");
  const words = new Set(WORDS[language]!.split(" "));
  const lines: Node[][] = [[]];
  const put = (piece: string, kind: string) =>
    piece.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines.at(-1)!.push(kind ? element("span", { class: `code-${kind}` }, part) : document.createTextNode(part));
    });
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    put(text.slice(end, match.index), "");
    const kind = Object.entries(match.groups!).find(([, value]) => value !== undefined)![0];
    put(match[0], kind === "word" && !words.has(match[0]) ? "" : kind);
    end = match.index + match[0].length;
  }
  put(text.slice(end), "");
  return lines;
}

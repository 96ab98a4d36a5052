// Makes page/page.html: the whole page but for its data, which src/report/html.cc puts in. With --check
// it only says whether that is what these sources make.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: ["main.ts"],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: ["chrome110", "firefox113", "safari16.4"], // the first with DecompressionStream
  legalComments: "none",
  charset: "ascii",
});
// No text of ours ends the element that holds it.
const script = outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const hash = createHash("sha256").update(script).digest("base64");
const parts = {
  SCRIPT_HASH: `sha256-${hash}`,
  STYLE: readFileSync("page.css", "utf8").trim(),
  SCRIPT: script,
};
const page = readFileSync("page.html", "utf8").replace(/\b(SCRIPT_HASH|STYLE|SCRIPT)\b/g, (name) => parts[name]);
const path = "../page/page.html";
if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== page) {
    console.error("page/page.html is not what web/ makes: `make web`, and commit it");
    process.exit(1);
  }
} else {
  mkdirSync("../page", { recursive: true });
  writeFileSync(path, page);
}
console.log(`page/page.html: ${Math.round(page.length / 1024)} KiB`);

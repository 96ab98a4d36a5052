// Starts the page and shows the view that its address names. A view is one file in views/.

import { Data } from "./data.ts";
import { element } from "./elements.ts";
import { place } from "./state.ts";
import { attempt } from "./views/attempt.ts";
import { attempts } from "./views/attempts.ts";
import { matrix } from "./views/matrix.ts";
import { overview } from "./views/overview.ts";
import { speed } from "./views/speed.ts";
import type { Charts } from "./charts.ts";

const VIEWS: Record<string, string> = {
  overview: "Overview",
  attempts: "Attempts",
  matrix: "Matrix",
  speed: "Speed",
};

let charts: Charts | null = null;
let leave: (() => void) | null = null;
let shows = 0; // counts views, so that one that comes late does not replace a newer one

async function show(data: Data, root: HTMLElement): Promise<void> {
  const mine = ++shows;
  const { view, rest } = place();
  charts?.dispose();
  leave?.();
  [charts, leave] = [null, null];
  for (const link of document.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.getAttribute("href") === `#${view}`);
  const fresh = element("div");
  root.replaceChildren(fresh);
  if (view === "attempts") leave = attempts(data, fresh);
  else if (view === "matrix") matrix(data, fresh);
  else if (view === "speed") charts = speed(data, fresh);
  else if (view === "attempt") {
    const made = await attempt(data, fresh, rest);
    if (mine !== shows) made.dispose();
    else charts = made;
  } else overview(data, fresh);
  document.title = `${rest || VIEWS[view] || "Overview"} – ${data.table.title}`;
}

async function start(): Promise<void> {
  const root = document.getElementById("view")!;
  try {
    const data = await Data.read();
    document.getElementById("title")!.textContent = data.table.title;
    document.querySelector("nav")!.append(
      ...Object.entries(VIEWS).map(([view, title]) => element("a", { href: `#${view}` }, title)),
    );
    window.addEventListener("hashchange", async () => {
      await show(data, root);
      window.scrollTo(0, 0);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts?.redraw());
    await show(data, root);
    document.documentElement.dataset.ready = "yes";
    (window as unknown as { assayReady?: number }).assayReady = performance.now(); // for bench/page.py
  } catch (problem) {
    root.replaceChildren(element("p", { class: "broken", role: "alert" }, `This page cannot be shown: ${problem}`));
    throw problem;
  }
}

void start();

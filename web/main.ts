// Starts the page and shows the view that its address names. A view is one file in views/.

import { Data } from "./data.ts";
import { element } from "./elements.ts";
import { isLive, LiveData } from "./live.ts";
import { place } from "./state.ts";
import { attempt } from "./views/attempt.ts";
import { attempts } from "./views/attempts.ts";
import { matrix } from "./views/matrix.ts";
import { overview } from "./views/overview.ts";
import { speed } from "./views/speed.ts";
import type { Shown } from "./view.ts";

interface View {
  title: string; // "": only links lead to it
  show(data: Data, root: HTMLElement, rest: string): Shown | void | Promise<Shown>;
}

const VIEWS: Record<string, View> = {
  overview: { title: "Overview", show: overview },
  attempts: { title: "Attempts", show: attempts },
  matrix: { title: "Matrix", show: matrix },
  speed: { title: "Speed", show: speed },
  attempt: { title: "", show: attempt },
};

let shown: Shown | null = null;
let shows = 0; // counts views, so that one that comes late does not replace a newer one

async function show(data: Data, root: HTMLElement): Promise<void> {
  const mine = ++shows;
  const { view, rest } = place();
  shown?.dispose();
  shown = null;
  for (const link of document.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.getAttribute("href") === `#${view}`);
  const fresh = element("div");
  root.replaceChildren(fresh);
  const asked = VIEWS[view] ?? VIEWS.overview!;
  const made = (await asked.show(data, fresh, rest)) ?? null;
  if (mine !== shows) {
    made?.dispose();
    return;
  }
  shown = made;
  document.title = `${rest || asked.title} – ${data.table.title}`;
}

// Of a run that goes on: what is shown follows it, and stays where it is.
async function live(root: HTMLElement): Promise<Data> {
  const line = element("p", { class: "live", role: "status" }, "Connecting ...");
  document.querySelector("header")!.after(line);
  const data = await LiveData.open(line, (ids) => {
    document.getElementById("title")!.textContent = data.table.title;
    const { view, rest } = place();
    if (view === "attempt" && !ids.has(rest)) return;
    if (shown?.update) shown.update();
    else void again(data, root);
  });
  return data;
}

// The same view with other data, at the same place.
async function again(data: Data, root: HTMLElement): Promise<void> {
  const [x, y] = [window.scrollX, window.scrollY];
  await show(data, root);
  window.scrollTo(x, y);
}

async function start(): Promise<void> {
  const root = document.getElementById("view")!;
  try {
    const data: Data = isLive() ? await live(root) : await Data.read();
    document.getElementById("title")!.textContent = data.table.title;
    document.querySelector("nav")!.append(
      ...Object.entries(VIEWS)
        .filter(([, { title }]) => title)
        .map(([view, { title }]) => element("a", { href: `#${view}` }, title)),
    );
    window.addEventListener("hashchange", async () => {
      await show(data, root);
      window.scrollTo(0, 0);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown?.redraw?.());
    await show(data, root);
    document.documentElement.dataset.ready = "yes";
    (window as unknown as { assayReady?: number }).assayReady = performance.now(); // for bench/page.py
  } catch (problem) {
    root.replaceChildren(element("p", { class: "broken", role: "alert" }, `This page cannot be shown: ${problem}`));
    throw problem;
  }
}

void start();

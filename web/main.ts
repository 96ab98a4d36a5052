// Starts the page and shows the view that its address names. A view is one file in views/.

import { Data, decode, has } from "./data.ts";
import { element } from "./elements.ts";
import { LiveData } from "./live.ts";
import { place } from "./state.ts";
import { attempt } from "./views/attempt.ts";
import { attempts } from "./views/attempts.ts";
import { comparison } from "./views/comparison.ts";
import { matrix } from "./views/matrix.ts";
import { overview } from "./views/overview.ts";
import { search } from "./views/search.ts";
import { speed } from "./views/speed.ts";
import { standings } from "./views/standings.ts";
import type { Shown } from "./view.ts";

interface View<Of> {
  title: string; // "": only links lead to it
  isThere?(data: Of): boolean; // whether there is something to show
  show(data: Of, root: HTMLElement, rest: string): Shown | void | Promise<Shown>;
}

// Of a run; the first is shown where the address names none.
const VIEWS: Record<string, View<Data>> = {
  overview: { title: "Overview", show: overview },
  attempts: { title: "Attempts", show: attempts },
  matrix: { title: "Matrix", show: matrix },
  speed: { title: "Speed", show: speed },
  search: { title: "Search", isThere: (data) => data.table.trees !== undefined, show: search },
  attempt: { title: "", show: attempt },
};

// A page, whatever it is of.
interface Page {
  title(): string;
  views: Record<string, View<void>>;
}

function pageOf<Of>(data: Of, title: () => string, views: Record<string, View<Of>>): Page {
  const bound = Object.entries(views).filter(([, view]) => view.isThere?.(data) ?? true).map(([name, view]) =>
    [name, { title: view.title, show: (_: void, root: HTMLElement, rest: string) => view.show(data, root, rest) }] as const);
  return { title, views: Object.fromEntries(bound) };
}

async function open(root: HTMLElement): Promise<Page> {
  if (has("assay-comparison"))
    return pageOf(await decode("assay-comparison"), () => "assay: two runs", { comparison: { title: "Comparison", show: comparison } });
  if (has("assay-standings"))
    return pageOf(await decode("assay-standings"), () => "assay: standings", { standings: { title: "Standings", show: standings } });
  const data: Data = has("assay-live") ? await live(root) : await Data.read();
  return pageOf(data, () => data.table.title, VIEWS);
}

let shown: Shown | null = null;
let shows = 0; // counts views, so that one that comes late does not replace a newer one

let page: Page;

async function show(root: HTMLElement): Promise<void> {
  const mine = ++shows;
  const { view, rest } = place();
  shown?.dispose();
  shown = null;
  for (const link of document.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.getAttribute("href") === `#${view}`);
  const fresh = element("div");
  root.replaceChildren(fresh);
  const asked = page.views[view] ?? Object.values(page.views)[0]!;
  const made = (await asked.show(undefined, fresh, rest)) ?? null;
  if (mine !== shows) {
    made?.dispose();
    return;
  }
  shown = made;
  document.title = `${rest || asked.title} – ${page.title()}`;
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
    else void again(root);
  });
  return data;
}

// The same view with other data, at the same place.
async function again(root: HTMLElement): Promise<void> {
  const [x, y] = [window.scrollX, window.scrollY];
  await show(root);
  window.scrollTo(x, y);
}

async function start(): Promise<void> {
  const root = document.getElementById("view")!;
  try {
    page = await open(root);
    document.getElementById("title")!.textContent = page.title();
    document.querySelector("nav")!.append(
      ...Object.entries(page.views)
        .filter(([, { title }]) => title)
        .map(([view, { title }]) => element("a", { href: `#${view}` }, title)),
    );
    window.addEventListener("hashchange", async () => {
      await show(root);
      window.scrollTo(0, 0);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown?.redraw?.());
    await show(root);
    document.documentElement.dataset.ready = "yes";
    (window as unknown as { assayReady?: number }).assayReady = performance.now(); // for bench/page.py
  } catch (problem) {
    root.replaceChildren(element("p", { class: "broken", role: "alert" }, `This page cannot be shown: ${problem}`));
    throw problem;
  }
}

void start();

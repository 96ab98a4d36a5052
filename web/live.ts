// The data of a run that goes on, as src/watch/live_run.cc sends them: what is new, whenever there is
// something. docs/formats.md describes the events. Where the server goes away and comes back, the browser
// asks it again, and says what it has seen.

import { check, Data, fill, type Columns, type Details, type Head, type Row } from "./data.ts";
import { element } from "./elements.ts";
import { count, duration } from "./words.ts";

interface Attempts {
  whole: boolean; // forget what was there before
  head: Head;
  at: number[]; // the places of these rows
  columns: Columns;
}

interface State {
  at_work: boolean;
  problem?: string; // why it could not be read
  under_way?: { what: string; stage: string; since_s?: number }[];
  waits?: boolean;
  planned?: number | null;
  left_s?: number | null;
  left_s_at_most?: number | null; // of a search, which may need fewer attempts
  searches?: { all: number; reached: number };
}

const MOST_UNDER_WAY = 4;

export class LiveData extends Data {
  private state: State | null = null;
  private connected = false;
  private found = new Map<string, { change: number; details: Promise<Details | null> }>();
  private changes = new Map<string, number>(); // how often an attempt has come

  // Once the first attempts are there, or it is known that there are none.
  static open(line: HTMLElement, onChange: (ids: Set<string>) => void): Promise<LiveData> {
    return new Promise((resolve, reject) => {
      const data = new LiveData({ format: 0, title: "", provenance: [], rows: 0, rows_per_block: 0, causes: [], dead_band: 0 }, []);
      const source = new EventSource("events");
      source.addEventListener("open", () => data.tell(line, true));
      source.addEventListener("error", () => data.tell(line, false));
      source.addEventListener("state", (event) => {
        data.state = JSON.parse(event.data);
        data.tell(line, true);
      });
      source.addEventListener("attempts", (event) => {
        try {
          const isFirst = data.table.format === 0;
          const ids = data.take(JSON.parse(event.data));
          data.tell(line, true);
          if (isFirst) resolve(data);
          else onChange(ids);
        } catch (problem) {
          source.close();
          reject(problem);
        }
      });
    });
  }

  override async details(index: number): Promise<Details | null> {
    const { id } = this.rows[index]!;
    const change = this.changes.get(id) ?? 0;
    const known = this.found.get(id);
    if (known?.change === change) return known.details;
    const details = fetch(`attempt?id=${encodeURIComponent(id)}`).then((answer) => (answer.ok ? answer.json() : null), () => null);
    this.found.set(id, { change, details });
    return details;
  }

  private take(attempts: Attempts): Set<string> {
    check(attempts.head);
    if (attempts.whole) this.rows = [];
    const fresh = attempts.at.map((index) => ({ index }) as Row);
    fill(fresh, attempts.columns);
    for (const row of fresh) {
      this.rows[row.index] = row;
      this.changes.set(row.id, (this.changes.get(row.id) ?? 0) + 1);
    }
    this.table = attempts.head;
    return new Set(fresh.map((row) => row.id));
  }

  private tell(line: HTMLElement, connected: boolean): void {
    this.connected = connected;
    line.dataset.state = !connected ? "lost" : this.state?.at_work ? "at work" : "still";
    line.replaceChildren(...this.words().map((part) => element("span", {}, part)));
  }

  private words(): string[] {
    if (!this.connected) return ["No connection. What is shown was known last; assay watch RUN --port shows it again."];
    const state = this.state;
    if (!state) return ["Connected."];
    if (state.problem) return [state.problem];
    const words = [];
    if (state.planned) words.push(`${this.rows.length} of ${count(state.planned, "attempt")}`);
    if (state.searches) words.push(`${state.searches.reached} of ${state.searches.all} searches have reached their goal`);
    if (!state.at_work) return [...words, "nobody is at work on it"];
    if (state.left_s_at_most) words.push(`at most about ${duration(state.left_s_at_most * 1e9)} left`);
    if (state.left_s) words.push(`about ${duration(state.left_s * 1e9)} left`);
    if (state.waits) words.push("waits for another assay, which times");
    const under = state.under_way ?? [];
    for (const each of under.slice(0, MOST_UNDER_WAY)) words.push(`${each.stage}: ${each.what.split("/").slice(each.what.startsWith("/") ? -1 : -3).join("/")}`);
    if (under.length > MOST_UNDER_WAY) words.push(`and ${under.length - MOST_UNDER_WAY} more`);
    return words;
  }
}

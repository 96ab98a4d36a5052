// Where one is, as the page's address has it: "#attempts?verdict=failed&sort=-ratio". So a link, the back
// button and a reload all lead to the same view.

export interface Place {
  view: string;
  rest: string; // of the path: an attempt's id
  settings: URLSearchParams;
}

export function place(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  const slash = path.indexOf("/");
  const view = slash < 0 ? path : path.slice(0, slash);
  return {
    view: view || "overview",
    rest: slash < 0 ? "" : decodeURIComponent(path.slice(slash + 1)),
    settings: new URLSearchParams(query),
  };
}

export function address(view: string, settings: Record<string, string> = {}, rest = ""): string {
  const query = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== "")).toString();
  return `#${view}${rest ? "/" + encodeURIComponent(rest) : ""}${query ? "?" + query : ""}`;
}

export const addressOfAttempt = (id: string) => address("attempt", {}, id);

// What is typed replaces the address, so that the back button does not go letter by letter.
export function change(settings: Record<string, string>): void {
  const now = place();
  const all = Object.fromEntries(now.settings);
  history.replaceState(null, "", address(now.view, { ...all, ...settings }, now.rest));
}

// Makes elements. Text from problems, candidates and models gets into the page through here alone,
// as text nodes and attributes that no browser runs, so nothing is ever parsed as HTML.

export type Child = Node | string | number | null | undefined | false;

export interface Properties {
  class?: string;
  title?: string;
  id?: string;
  href?: string;
  type?: string;
  value?: string;
  role?: string;
  tabindex?: number;
  for?: string;
  placeholder?: string;
  checked?: boolean;
  disabled?: boolean;
  open?: boolean;
  scope?: string;
  colspan?: number;
  style?: Partial<CSSStyleDeclaration>;
  data?: Record<string, string>;
  aria?: Record<string, string>;
  on?: { [Kind in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Kind]) => void };
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  const { class: classes, style, data, aria, on, ...attributes } = properties;
  if (classes) made.className = classes;
  if (style) Object.assign(made.style, style);
  for (const [name, value] of Object.entries(data ?? {})) made.dataset[name] = value;
  for (const [name, value] of Object.entries(aria ?? {})) made.setAttribute(`aria-${name}`, value);
  for (const [kind, listener] of Object.entries(on ?? {}))
    made.addEventListener(kind, listener as EventListener);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "href" && !String(value).startsWith("#")) continue; // only addresses of this page
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(
    (child) => (child instanceof Node ? child : String(child))));
  return made;
}

// A table of texts and elements; the first row is its head.
export function table(head: string[], rows: Child[][], properties: Properties = {}): HTMLTableElement {
  return element(
    "table",
    properties,
    element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, cell)))),
    element(
      "tbody",
      {},
      ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))),
    ),
  );
}

// A button that copies a text, and says so.
export function copyButton(text: string): HTMLButtonElement {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page from disk may not be allowed to: what is selected can be copied as ever.
      const area = element("textarea", {}, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

/** Elements made of data. Whatever a trace says becomes a text node or an attribute's value, never markup. */
export type Child = Node | string | null | false;
type Attributes = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** Attributes by name: true sets one without a value, false leaves it out, a function listens to the event of that name. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== false) element.append(child);
  return element;
}

/** Lines below each other. */
export function lines(texts: readonly string[]): Child[] {
  return texts.flatMap((text, index) => (index === 0 ? [text] : [el("br"), text]));
}

/** A table that scrolls by itself where it is wider than the page, and is reached with the keyboard then. */
export function table(
  caption: string,
  titles: readonly string[],
  rows: readonly HTMLTableRowElement[],
): HTMLElement {
  const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)),
  );
}

export function row(...cells: readonly (Child | readonly Child[])[]): HTMLTableRowElement {
  return el(
    "tr",
    {},
    ...cells.map((cell) => el("td", {}, ...(Array.isArray(cell) ? (cell as Child[]) : [cell as Child]))),
  );
}

/** A section that a heading names and the list of contents leads to. */
export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

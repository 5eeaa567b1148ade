import { signal } from "@preact/signals";

/** Where the console is: a path and a query in the part of the address that servers do not see. */
export interface Route {
  readonly path: string;
  readonly parts: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

const read = (): Route => {
  const [path = "/", query = ""] = location.hash.slice(1).split("?", 2);
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  return { path, parts, query: new Map(new URLSearchParams(query)) };
};

export const route = signal(read());

addEventListener("hashchange", () => {
  const before = route.value.path;
  route.value = read();
  // The next page begins at its top, and a screen reader reads it.
  if (before !== route.value.path) {
    scrollTo(0, 0);
    document.getElementById("content")?.focus({ preventScroll: true });
  }
});

type Query = Readonly<Record<string, string | undefined>>;

/** The address of a page. Empty values are left out. */
export const href = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `#${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
};

export const go = (path: string, query: Query = {}): void => {
  location.hash = href(path, query);
};

/** Changes the query of the page without a new entry in the history. */
export const setQuery = (query: Query): void => {
  const { path, query: before } = route.value;
  history.replaceState(null, "", href(path, { ...Object.fromEntries(before), ...query }));
  route.value = read();
};

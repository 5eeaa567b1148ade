import { signal } from "@preact/signals";

/** Where the console is: a path and a query in the part of the address that servers do not see. */
export interface Route {
  readonly path: string;
  readonly parts: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  /** The number of its entry in the history of the browser. */
  readonly entry: number;
}

/** The text that a part stands for; its spelling if it stands for none, such as `%`. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** What pages keep for the way back: how far they are scrolled, and what they have read. By entry. */
const kept = new Map<number, Map<string, unknown>>();
const mostKept = 30;
/** The newest entry of each path, and its query. */
const newest = new Map<string, { readonly entry: number; readonly query: string }>();
let lastEntry = 0;
/** The entry of which the next one is the continuation, because a link leads back to it. */
let continued: number | undefined;

/** The number of the present entry. A new one gets its number, and a place for what its page keeps. */
const entryOfHistory = (): number => {
  const known: unknown = history.state?.entry;
  if (typeof known === "number" && known <= lastEntry) return known;
  lastEntry += 1;
  history.replaceState({ entry: lastEntry }, "");
  const before = continued === undefined ? undefined : kept.get(continued);
  kept.set(lastEntry, new Map(before));
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
  return lastEntry;
};

const read = (): Route => {
  const [path = "/", query = ""] = location.hash.slice(1).split("?", 2);
  const entry = entryOfHistory();
  continued = undefined;
  newest.set(path, { entry, query });
  return {
    path,
    parts: path.split("/").filter(Boolean).map(decoded),
    query: new Map(new URLSearchParams(query)),
    entry,
  };
};

// The page itself says how far it was scrolled, once its rows are there again.
history.scrollRestoration = "manual";

export const route = signal(read());

addEventListener("hashchange", () => {
  const before = route.value.path;
  route.value = read();
  // A screen reader reads the next page.
  if (before !== route.value.path) document.getElementById("content")?.focus({ preventScroll: true });
});

/** What the page of an entry keeps under a name, for the way back to it. */
export const placeOf = (entry: number): Map<string, unknown> => {
  const place = kept.get(entry) ?? new Map<string, unknown>();
  kept.set(entry, place);
  return place;
};

type Query = Readonly<Record<string, string | undefined>>;

/** The address of a page. Empty values are left out. */
export const href = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `#${path}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
};

export const go = (path: string, query: Query = {}): void => {
  location.hash = href(path, query);
};

interface WayBack {
  readonly href: string;
  readonly onClick: (event: MouseEvent) => void;
}

/** A link back to a list: with the filters that it had, and at the place where it was left. */
export const wayBack = (address: string): WayBack => {
  const before = newest.get(address.slice(1));
  return {
    href: before === undefined || before.query === "" ? address : `${address}?${before.query}`,
    onClick: ({ ctrlKey, metaKey, shiftKey }) => {
      if (!ctrlKey && !metaKey && !shiftKey) continued = before?.entry;
    },
  };
};

/** Changes the query of the page without a new entry in the history. */
export const setQuery = (query: Query): void => {
  const { path, query: before, entry } = route.value;
  kept.get(entry)?.clear();
  history.replaceState(history.state, "", href(path, { ...Object.fromEntries(before), ...query }));
  route.value = read();
};

/** A place at which two payloads differ. */
interface PayloadChange {
  /** A JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** As JSON, up to 200 characters; `undefined` where there is no value. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface PayloadDifference {
  /** In the order of the payloads; at most 200. */
  readonly changes: readonly PayloadChange[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

const mostChanges = 200;
const longestValue = 200;
const longestPath = 500;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const written = (value: unknown): string => cut(JSON.stringify(value) ?? "null", longestValue);

const members = (value: object): ReadonlyMap<string, unknown> =>
  new Map(Array.isArray(value) ? value.map((member, place) => [String(place), member]) : Object.entries(value));

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const step = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * Where two payloads differ. Elements of lists are compared place by place. A value that is a list in
 * one and an object in the other has changed as a whole. Neither may be nested too deep to be written
 * as JSON (`isTooDeep`).
 */
export const differenceOf = (before: unknown, after: unknown): PayloadDifference => {
  const changes: PayloadChange[] = [];
  const add = (path: string, kind: PayloadChange["kind"], old: unknown, now: unknown): void => {
    changes.push({
      path: cut(path, longestPath),
      kind,
      before: kind === "added" ? undefined : written(old),
      after: kind === "removed" ? undefined : written(now),
    });
  };
  // One more than is told says that there are more.
  const compare = (path: string, old: unknown, now: unknown): void => {
    // In JSON, -0 and 0 are the same number.
    if (changes.length > mostChanges || old === now) return;
    if (!isObject(old) || !isObject(now) || Array.isArray(old) !== Array.isArray(now)) {
      add(path, "changed", old, now);
      return;
    }
    const [olds, nows] = [members(old), members(now)];
    for (const [name, value] of olds) {
      if (changes.length > mostChanges) return;
      if (nows.has(name)) compare(path + step(name), value, nows.get(name));
      else add(path + step(name), "removed", value, undefined);
    }
    for (const [name, value] of nows) {
      if (changes.length > mostChanges) return;
      if (!olds.has(name)) add(path + step(name), "added", undefined, value);
    }
  };
  compare("", before, after);
  return { changes: changes.slice(0, mostChanges), isComplete: changes.length <= mostChanges };
};

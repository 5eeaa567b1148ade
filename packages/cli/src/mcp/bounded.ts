const longestText = 8_000;
const mostCharacters = 60_000;
const mostItems = 100;
const mostPlaces = 20;

/** A value whose texts and lists were cut, and where. */
export interface Bounded<Value> {
  readonly value: Value;
  /** Each place that was cut, such as `jobs/0/last_error`, and how long it was. */
  readonly truncated: string[];
}

/** The same value without what is too long to read: long texts, long lists, and all after many characters. */
export const bounded = <Value>(whole: Value): Bounded<Value> => {
  const truncated: string[] = [];
  let left = mostCharacters;
  const note = (place: string, what: string): void => {
    if (truncated.length < mostPlaces) truncated.push(`${place}: ${what}`);
  };
  const text = (value: string, place: string): string => {
    const most = Math.max(0, Math.min(longestText, left));
    left -= value.length;
    if (value.length <= most) return value;
    left += value.length - most;
    note(place, `${most} of ${value.length} characters`);
    return `${value.slice(0, most)}…`;
  };
  const list = (value: readonly unknown[], place: string): readonly unknown[] => {
    const shown: unknown[] = [];
    for (const [at, one] of value.entries()) {
      if (shown.length === mostItems || left <= 0) break;
      shown.push(visit(one, `${place}/${at}`));
    }
    if (shown.length < value.length) note(place, `${shown.length} of ${value.length} items`);
    return shown;
  };
  const visit = (value: unknown, place: string): unknown => {
    if (typeof value === "string") return text(value, place);
    if (Array.isArray(value)) return list(value, place);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        left -= name.length;
        return [name, visit(inner, place === "" ? name : `${place}/${name}`)];
      }),
    );
  };
  return { value: visit(whole, "") as Value, truncated };
};

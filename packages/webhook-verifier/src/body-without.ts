import { textOf } from "#platform";

/**
 * The words of a JSON text. None of them needs to be looked at twice: a text that has no end is one
 * word, too.
 */
const words = /"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}:,]|[^\s"[\]{}:,]+/gs;

/** Whether a place leads to where a walk stands: the names and indexes from the outside in. */
const leadsTo = (place: readonly string[], path: readonly (string | number)[]): boolean =>
  place.length === path.length && place.every((name, level) => name === "*" || name === String(path[level]));

/**
 * A JSON text without the values at these places. All else stays as it was written: to parse it and
 * to write it anew would make one number of two that differ behind their 16th digit.
 */
const jsonWithout = (text: string, places: readonly (readonly string[])[]): string => {
  const path: (string | number)[] = [];
  let expectsName = false;
  let kept = "";
  let from = 0;
  /** The value that is left out: where it begins, and how deep it stands. */
  let left: { readonly at: number; readonly depth: number } | undefined;
  for (const { 0: word, index } of text.matchAll(words)) {
    const last = path.length - 1;
    const here = path[last];
    if (word === ":") {
      expectsName = false;
      continue;
    }
    if (word === ",") {
      if (typeof here === "number") path[last] = here + 1;
      else expectsName = true;
      continue;
    }
    if (expectsName && word !== "}") {
      path[last] = word.slice(1, -1);
      continue;
    }
    expectsName = word === "{";
    if (word === "}" || word === "]") path.pop();
    else if (left === undefined && places.some((place) => leadsTo(place, path)))
      left = { at: index, depth: path.length };
    if (word === "{") path.push("");
    else if (word === "[") path.push(0);
    if (left === undefined || path.length > left.depth) continue;
    kept += text.slice(from, left.at);
    from = index + word.length;
    left = undefined;
  }
  return kept + text.slice(from);
};

/** A body without the values at these places: paths into JSON, or the names of form fields. */
export const bodyWithout = (body: Uint8Array, places: readonly string[]): string | Uint8Array => {
  const text = textOf(body);
  if (text === undefined || places.length === 0) return body;
  if (/^\s*[[{]/.test(text))
    return jsonWithout(
      text,
      places.map((place) => place.split(".")),
    );
  return text
    .split("&")
    .filter((field) => !places.includes(field.split("=", 1)[0] ?? ""))
    .join("&");
};

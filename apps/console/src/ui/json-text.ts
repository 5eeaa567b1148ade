/** A value of a JSON text as it was written: numbers and texts keep their spelling. */
export type JsonNode =
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: JsonNode])[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string" | "number" | "word"; readonly raw: string };

const deepest = 200;
const space = /[ \t\n\r]*/y;
const text = /"(?:[^"\\\n\r\t]|\\.)*"/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/**
 * Reads a JSON text without changing a character of it: `JSON.parse` would round a number of 64 bits, and
 * forget all but the last of two members with one name. `undefined` if it is not JSON, or too deep.
 */
export const readJson = (source: string): JsonNode | undefined => {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const is = (character: string): boolean => {
    take(space);
    if (source[at] !== character) return false;
    at += 1;
    return true;
  };
  const fail = (): never => {
    throw new SyntaxError("not JSON");
  };
  const listed = (end: string, readOne: () => void): void => {
    if (is(end)) return;
    do readOne();
    while (is(","));
    if (!is(end)) fail();
  };
  const value = (depth: number): JsonNode => {
    if (depth > deepest) fail();
    if (is("{")) {
      const members: (readonly [string, JsonNode])[] = [];
      listed("}", () => {
        take(space);
        const key = take(text) ?? fail();
        if (!is(":")) fail();
        members.push([key, value(depth + 1)]);
      });
      return { kind: "object", members };
    }
    if (is("[")) {
      const items: JsonNode[] = [];
      listed("]", () => items.push(value(depth + 1)));
      return { kind: "array", items };
    }
    take(space);
    for (const [kind, pattern] of [
      ["string", text],
      ["number", number],
      ["word", word],
    ] as const) {
      const raw = take(pattern);
      if (raw !== undefined && raw !== "") return { kind, raw };
    }
    return fail();
  };
  try {
    const read = value(0);
    take(space);
    return at === source.length ? read : undefined;
  } catch {
    return undefined;
  }
};

/** The text that a JSON string stands for; its spelling if it has none. */
export const textOf = (raw: string): string => {
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1, -1);
  }
};

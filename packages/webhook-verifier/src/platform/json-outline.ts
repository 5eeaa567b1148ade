import { isUtf8 } from "node:buffer";
import type { BodyPlaces, JsonOutline, Platform } from "./contract.ts";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [minus, plus, point, zero, nine] = [0x2d, 0x2b, 0x2e, 0x30, 0x39];

/** Deeper texts are left to the parser. */
const deepest = 128;
/** Whether the value at each level is an object, or a list. All calls share it: none waits. */
const isObjectAt = new Uint8Array(deepest + 1);

/** The literals, by their first byte. */
const literals: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" };

/** Stands for the end of a value if the text is not JSON. */
const nowhere = -1;

const afterSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++;
  return at;
};

const isHex = (byte = 0): boolean => (byte >= zero && byte <= nine) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** Behind the escape whose backslash is at `at`. */
const afterEscape = (bytes: Uint8Array, at: number): number => {
  const byte = bytes[at + 1] ?? 0;
  if (byte !== 0x75) return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? at + 2 : nowhere;
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(bytes[digit])) return nowhere;
  return at + 6;
};

/** Behind the string whose opening quote is at `at`. */
const afterString = (bytes: Uint8Array, at: number): number => {
  for (let next = at + 1; next < bytes.length; ) {
    const byte = bytes[next] as number;
    if (byte === quote) return next + 1;
    if (byte < 0x20) return nowhere;
    if (byte !== backslash) next++;
    else {
      next = afterEscape(bytes, next);
      if (next === nowhere) return nowhere;
    }
  }
  return nowhere;
};

/** Behind the digits that begin at `from`; `nowhere` if there are none. */
const afterDigits = (bytes: Uint8Array, from: number): number => {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte >= zero && byte <= nine; byte = bytes[at] ?? 0) at++;
  return at === from ? nowhere : at;
};

const afterNumber = (bytes: Uint8Array, from: number): number => {
  let at = bytes[from] === minus ? from + 1 : from;
  at = bytes[at] === zero ? at + 1 : afterDigits(bytes, at);
  if (at !== nowhere && bytes[at] === point) at = afterDigits(bytes, at + 1);
  if (at === nowhere || ((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  return afterDigits(bytes, sign === plus || sign === minus ? at + 2 : at + 1);
};

/** Behind a value that is neither a list nor an object. */
const afterPlain = (bytes: Uint8Array, at: number): number => {
  const byte = bytes[at] ?? 0;
  if (byte === quote) return afterString(bytes, at);
  const literal = literals[byte];
  if (literal === undefined) return afterNumber(bytes, at);
  for (let index = 1; index < literal.length; index++)
    if (bytes[at + index] !== literal.charCodeAt(index)) return nowhere;
  return at + literal.length;
};

/** Whether the bytes between two places are printable ASCII without a backslash. */
const isSimple = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x7e || byte === backslash) return false;
  }
  return true;
};

const isName = (bytes: Uint8Array, from: number, to: number, name: string): boolean => {
  if (to - from !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (bytes[from + index] !== name.charCodeAt(index)) return false;
  return true;
};

/**
 * The names of the members of the outermost object that hold id and type; empty for one that is in
 * a header. `undefined` for a scheme whose body must be parsed.
 */
type Names = readonly [id: string, type: string] | undefined;

/** Schemes are few, and each of their deliveries needs the names. */
const namesOfSchemes = new WeakMap<BodyPlaces, { readonly names: Names }>();

const memberAt = (place: BodyPlaces["id"]): string | undefined => {
  if (place === undefined) return "";
  if (typeof place !== "string") return undefined;
  return place.startsWith("header:") ? "" : /^body:([\w-]+)$/.exec(place)?.[1];
};

const namesFor = (scheme: BodyPlaces): Names => {
  const known = namesOfSchemes.get(scheme);
  if (known !== undefined) return known.names;
  const [id, type] = [memberAt(scheme.id), memberAt(scheme.type)];
  const isParsed = scheme.parse !== undefined || scheme.items !== undefined;
  const names: Names = isParsed || id === undefined || type === undefined ? undefined : [id, type];
  namesOfSchemes.set(scheme, { names });
  return names;
};

/**
 * Reads a body without parsing it, and finds the texts of members of its outermost object. A parser
 * would make a text of the whole body and then an object for each of its parts: two to four times
 * the body, for an id and a type. `undefined` if only the parser can tell: the body is not JSON, a
 * name in the outermost object or one of the texts has escapes or is not ASCII, one of the members
 * is no text, or the body has more than 128 levels.
 */
export const outlineOf: Platform["outlineOf"] = (bytes, scheme): JsonOutline | undefined => {
  const names = namesFor(scheme);
  // Only a `Buffer` can make a text of a part of its bytes.
  if (names === undefined || !Buffer.isBuffer(bytes) || !isUtf8(bytes)) return undefined;
  const [idName, typeName] = names;
  let id: string | undefined;
  let type: string | undefined;
  let level = 0;
  let depth = 0;
  /** The name of the value that comes next; empty for a value that nobody asks for. */
  let wanted = "";
  let at = afterSpace(bytes, 0);
  let isValueNext = true;
  for (;;) {
    if (isValueNext) {
      const byte = bytes[at];
      if (byte === openBrace || byte === openBracket) {
        if (wanted !== "" || level === deepest) return undefined;
        level++;
        if (level > depth) depth = level;
        isObjectAt[level] = byte === openBrace ? 1 : 0;
        at = afterSpace(bytes, at + 1);
        if (bytes[at] === byte + 2) isValueNext = false;
        else if (byte === openBracket) continue;
      } else {
        const end = afterPlain(bytes, at);
        if (end === nowhere) return undefined;
        if (wanted !== "") {
          if (byte !== quote || !isSimple(bytes, at, end)) return undefined;
          const text = bytes.toString("latin1", at + 1, end - 1) || undefined;
          if (wanted === idName) id = text;
          if (wanted === typeName) type = text;
        }
        at = afterSpace(bytes, end);
        isValueNext = false;
      }
    }
    if (!isValueNext) {
      if (level === 0) return at === bytes.length ? { depth, id, type } : undefined;
      const byte = bytes[at];
      if (byte === (isObjectAt[level] === 1 ? closeBrace : closeBracket)) {
        level--;
        at = afterSpace(bytes, at + 1);
        continue;
      }
      if (byte !== comma) return undefined;
      at = afterSpace(bytes, at + 1);
      isValueNext = true;
      if (isObjectAt[level] === 0) {
        wanted = "";
        continue;
      }
    }
    // The name of a member.
    if (bytes[at] !== quote) return undefined;
    const end = afterString(bytes, at);
    if (end === nowhere) return undefined;
    wanted = "";
    if (level === 1) {
      if (!isSimple(bytes, at, end)) return undefined;
      wanted = isName(bytes, at + 1, end - 1, idName) ? idName : "";
      if (wanted === "" && isName(bytes, at + 1, end - 1, typeName)) wanted = typeName;
    }
    at = afterSpace(bytes, end);
    if (bytes[at] !== colon) return undefined;
    at = afterSpace(bytes, at + 1);
  }
};

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

/** The parser drops a byte order mark. */

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

/** The text that stands in quotes between two places, as the parser reads it. */
const textOf = (bytes: Buffer, from: number, to: number): string => {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x7e || byte === backslash) return JSON.parse(bytes.toString("utf8", from, to));
  }
  // It is printable ASCII without a backslash.
  return bytes.toString("latin1", from + 1, to - 1);
};

/** The number that four hex digits write. They have been checked. */
const hexAt = (bytes: Uint8Array, from: number): number => {
  let number = 0;
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at] ?? 0;
    number = number * 16 + (byte & 15) + (byte > nine ? 9 : 0);
  }
  return number;
};

/** Whether the bytes between two quotes write a name. A sender may escape each of its characters. */
const isName = (bytes: Uint8Array, from: number, to: number, name: string): boolean => {
  let at = from;
  for (let index = 0; index < name.length; index++) {
    const isEscaped = bytes[at] === backslash && bytes[at + 1] === 0x75;
    if ((isEscaped ? hexAt(bytes, at + 2) : bytes[at]) !== name.charCodeAt(index)) return false;
    at += isEscaped ? 6 : 1;
  }
  return at === to;
};

/**
 * The names of the members of the outermost object that hold id, type and the data that a scheme
 * needs; empty for one that is in headers, and for data that it does not need. `undefined` for a
 * scheme whose body must be parsed.
 */
type Names = readonly [id: string, type: string, data: string] | undefined;

/** Schemes are few, and each of their deliveries needs the names. */
const namesOfSchemes = new WeakMap<BodyPlaces, { readonly names: Names }>();

const memberAt = (place: BodyPlaces["id"]): string | undefined => {
  if (place === undefined) return "";
  // Of a place in several parts, at most one may be in the body.
  if (typeof place !== "string") {
    const inBody = place.filter((part) => !part.startsWith("header:"));
    return inBody.length > 1 ? undefined : memberAt(inBody[0]);
  }
  return place.startsWith("header:") ? "" : /^body:([\w-]+)$/.exec(place)?.[1];
};

/** Whether a scheme reads a body that begins as a list or an object as nothing but JSON. */
const readsJson = ({ parse }: BodyPlaces): boolean =>
  parse === undefined || (typeof parse === "function" && "readsJson" in parse);

const namesFor = (scheme: BodyPlaces): Names => {
  const known = namesOfSchemes.get(scheme);
  if (known !== undefined) return known.names;
  const [id, type] = [memberAt(scheme.id), memberAt(scheme.type)];
  const data = scheme.needsData === true ? memberAt(`body:${scheme.data}`) : "";
  const isParsed = !readsJson(scheme) || scheme.items !== undefined;
  const isFound = id !== undefined && type !== undefined && data !== undefined;
  const names: Names = isParsed || !isFound ? undefined : [id, type, data];
  namesOfSchemes.set(scheme, { names });
  return names;
};

/**
 * Reads a body without parsing it, and finds the texts of members of its outermost object. A parser
 * would make a text of the whole body and then an object for each of its parts: two to four times
 * the body, for an id and a type. `undefined` if only the parser can tell: the body is not JSON, one
 * of the members is no text, or the body has more than 128 levels.
 */
export const outlineOf: Platform["outlineOf"] = (body, scheme): JsonOutline | undefined => {
  const names = namesFor(scheme);
  if (names === undefined || !isUtf8(body)) return undefined;
  // Only a `Buffer` can make a text of a part of its bytes.
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length);
  const [idName, typeName, dataName] = names;
  let hasData = dataName === "" ? undefined : false;
  let id: string | undefined;
  let type: string | undefined;
  let level = 0;
  let depth = 0;
  /** The name of the value that comes next; empty for a value that nobody asks for. */
  let wanted = "";
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let at = afterSpace(bytes, hasMark ? 3 : 0);
  if (scheme.parse !== undefined && bytes[at] !== openBrace && bytes[at] !== openBracket) return undefined;
  let isValueNext = true;
  for (;;) {
    if (isValueNext) {
      const byte = bytes[at];
      if (wanted !== "" && wanted === dataName) {
        hasData = byte === openBrace;
        wanted = "";
      }
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
          if (byte !== quote) return undefined;
          const text = textOf(bytes, at, end) || undefined;
          if (wanted === idName) id = text;
          if (wanted === typeName) type = text;
        }
        at = afterSpace(bytes, end);
        isValueNext = false;
      }
    }
    if (!isValueNext) {
      if (level === 0) return at === bytes.length ? { depth, id, type, hasData } : undefined;
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
      if (isName(bytes, at + 1, end - 1, idName)) wanted = idName;
      else if (isName(bytes, at + 1, end - 1, typeName)) wanted = typeName;
      else if (dataName !== "" && isName(bytes, at + 1, end - 1, dataName)) wanted = dataName;
    }
    at = afterSpace(bytes, end);
    if (bytes[at] !== colon) return undefined;
    at = afterSpace(bytes, at + 1);
  }
};

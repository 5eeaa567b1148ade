import { textOf } from "#platform";
import { utf8 } from "./runtime.ts";

/** More parts than any sender sends. */
const mostParts = 1000;
/** Longer headers of a part are no sender's. */
const longestHead = 16_384;

const [cr, lf, dash] = [0x0d, 0x0a, 0x2d];
const endOfLine = Uint8Array.of(cr, lf);
const endOfHead = Uint8Array.of(cr, lf, cr, lf);

const isAt = (bytes: Uint8Array, at: number, wanted: Uint8Array): boolean => {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
};

/** Where `wanted`, which begins with CR, is next; -1 if it is nowhere. */
const nextOf = (bytes: Uint8Array, wanted: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(cr, from); at >= 0; at = bytes.indexOf(cr, at + 1))
    if (isAt(bytes, at, wanted)) return at;
  return -1;
};

/** A parameter of a header. Browsers write a quote as `%22`, other clients put a backslash before it. */
const parameterOf = (head: string, name: string): string | undefined => {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\\r\n]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(head);
  return found === null ? undefined : (found[1]?.replace(/\\(.)/g, "$1").replaceAll("%22", '"') ?? found[2]);
};

/** What is known of a file in a form. Its bytes are in the body. */
interface FormFile {
  /** As it was sent. Never use it as a path. */
  readonly name: string;
  /** Its media type as it was written; empty if none was. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
}

/** The boundary that a content type names; else the one with which the body begins. */
const boundaryOf = (body: Uint8Array, contentType: string): Uint8Array | undefined => {
  const named = parameterOf(contentType, "boundary");
  if (named !== undefined) return named.length <= 200 ? utf8(`--${named}`) : undefined;
  const end = nextOf(body.subarray(0, 204), endOfLine, 0);
  return end > 2 ? body.subarray(0, end) : undefined;
};

/**
 * The fields of a `multipart/form-data` body (RFC 7578) as an object without a prototype; a repeated
 * field is a list. A file, and a field that is not text in UTF-8, is told by name, type and size.
 * `undefined` if the body is not whole, or has more than 1,000 parts.
 */
export const multipartObject = (
  body: Uint8Array,
  contentType: string,
): Readonly<Record<string, unknown>> | undefined => {
  const boundary = boundaryOf(body, contentType);
  if (boundary === undefined) return undefined;
  const border = Uint8Array.of(cr, lf, ...boundary);
  const object: Record<string, unknown> = Object.create(null);
  // What stands before the first boundary has no meaning.
  let at = isAt(body, 0, boundary) ? 0 : nextOf(body, border, 0) + 2;
  if (at === 1) return undefined;
  for (let part = 0; part <= mostParts; part++) {
    at += boundary.length;
    if (body[at] === dash && body[at + 1] === dash) return object;
    const from = nextOf(body, endOfLine, at);
    const headEnd = from < 0 ? -1 : nextOf(body, endOfHead, from);
    const end = headEnd < 0 ? -1 : nextOf(body, border, headEnd + 2);
    if (end < 0 || headEnd - from > longestHead) return undefined;
    const head = textOf(body.subarray(from, headEnd)) ?? "";
    const disposition = /^content-disposition:[^\r\n]*/im.exec(head)?.[0] ?? "";
    const name = parameterOf(disposition, "name");
    if (name === undefined) return undefined;
    const content = body.subarray(headEnd + 4, end);
    const file = parameterOf(disposition, "filename");
    const text = file === undefined ? textOf(content) : undefined;
    const type = /^content-type:[ \t]*([^\r\n]*)/im.exec(head)?.[1]?.trim() ?? "";
    const value: string | FormFile = text ?? { name: file ?? "", type, size: content.length };
    const before = object[name];
    object[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
    at = end + 2;
  }
  return undefined;
};

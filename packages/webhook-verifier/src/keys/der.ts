import { concat } from "../bytes.ts";
import { encodeHex } from "../hex.ts";

/** One element of ASN.1 in DER. This file reads and writes only what keys and certificates need. */
export interface Der {
  readonly tag: number;
  readonly body: Uint8Array;
  /** Tag, length and body. */
  readonly whole: Uint8Array;
}

const broken = (): never => {
  throw new TypeError("not DER");
};

/**
 * Reads the element that begins at `at`. @throws TypeError for anything that is not DER with
 * lengths under 16 MiB.
 */
export const readDer = (bytes: Uint8Array, at = 0): Der => {
  const tag = bytes[at] ?? broken();
  const first = bytes[at + 1] ?? broken();
  let from = at + 2;
  let length = first;
  if (first > 0x7f) {
    const count = first & 0x7f;
    if (count === 0 || count > 3) broken();
    length = 0;
    for (let digit = 0; digit < count; digit++) length = (length << 8) | (bytes[from++] ?? broken());
    // Only the shortest form is accepted.
    if (length < 0x80 || length < 2 ** (8 * (count - 1))) broken();
  }
  const end = from + length;
  if (end > bytes.length) broken();
  return { tag, body: bytes.subarray(from, end), whole: bytes.subarray(at, end) };
};

/** The elements inside a constructed one. @throws TypeError */
export const readAll = (body: Uint8Array): readonly Der[] => {
  const elements: Der[] = [];
  for (let at = 0; at < body.length; ) {
    const element = readDer(body, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
};

/** Returns element `index` of `elements`, if it has the tag. @throws TypeError */
export const expectDer = (elements: readonly Der[], index: number, tag: number): Der => {
  const element = elements[index];
  return element !== undefined && element.tag === tag ? element : broken();
};

/** Writes an element. */
export const writeDer = (tag: number, ...bodies: readonly Uint8Array[]): Uint8Array => {
  const body = concat(bodies);
  const { length } = body;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return concat([Uint8Array.of(tag, ...head), body]);
};

/** An object identifier, as hex of its encoded body. */
export const oidOf = (element: Der): string => (element.tag === 0x06 ? encodeHex(element.body) : broken());

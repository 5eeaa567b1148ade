import { concat } from "../bytes.ts";

/**
 * A positive INTEGER of a DER sequence, left-padded to `size`; `undefined` unless it is in its
 * shortest form.
 */
const readInteger = (
  der: Uint8Array,
  at: number,
  size: number,
): { readonly value: Uint8Array; readonly end: number } | undefined => {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== 0x02 || length === 0 || length > size + 1 || end > der.length) return undefined;
  const digits = der.subarray(at + 2, end);
  const [first = 0, second = 0] = digits;
  if (first > 0x7f || (first === 0 && length > 1 && second < 0x80)) return undefined;
  const significant = first === 0 ? digits.subarray(1) : digits;
  if (significant.length > size) return undefined;
  const value = new Uint8Array(size);
  value.set(significant, size - significant.length);
  return { value, end };
};

/**
 * Converts an ECDSA signature from ASN.1 (`SEQUENCE { r INTEGER, s INTEGER }`, DER) to raw r‖s of
 * `size` bytes each; `undefined` if it is not DER. It serves curves up to 384 bits, whose sequence
 * is shorter than 128 bytes.
 */
export const ecdsaFromDer = (der: Uint8Array, size: number): Uint8Array | undefined => {
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der.length > 129) return undefined;
  const r = readInteger(der, 2, size);
  const s = r && readInteger(der, r.end, size);
  return s?.end === der.length && r !== undefined ? concat([r.value, s.value]) : undefined;
};

const integer = (value: Uint8Array): Uint8Array => {
  const first = value.findIndex((byte) => byte !== 0);
  const digits = value.subarray(first < 0 ? value.length - 1 : first);
  const padding = (digits[0] ?? 0) > 0x7f ? [0] : [];
  return Uint8Array.of(0x02, padding.length + digits.length, ...padding, ...digits);
};

/** The other direction: from raw r‖s to DER. */
export const ecdsaToDer = (raw: Uint8Array): Uint8Array => {
  const half = raw.length / 2;
  const body = concat([integer(raw.subarray(0, half)), integer(raw.subarray(half))]);
  return concat([Uint8Array.of(0x30, body.length), body]);
};

/** Both directions, for keys whose sender writes ASN.1. */
export const ecdsaDer = { toRaw: ecdsaFromDer, fromRaw: ecdsaToDer } as const;

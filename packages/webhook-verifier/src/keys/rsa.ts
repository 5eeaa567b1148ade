import { readAll, readDer, writeDer } from "./der.ts";
import * as tags from "./der-tags.ts";
import { invalidKey } from "./key.ts";

const identifier = /* @__PURE__ */ Uint8Array.of(0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01);

/**
 * A number's bytes without leading zeros, which have no value. Of zero itself the last byte stays.
 */
const significant = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.findIndex((byte) => byte !== 0));

const no = /* @__PURE__ */ new Uint8Array();

/** The checks of RSA keys, and how to read keys whose text does not name their kind. */
export const rsa = {
  /**
   * Refuses a key under 2048 bits or with a weak exponent: with the exponent 1 a signature is its
   * own message.
   * @throws WebhookConfigError `key_invalid`
   */
  check: (modulus: Uint8Array, exponent: Uint8Array): void => {
    const [n, e] = [significant(modulus), significant(exponent)];
    if (n.length < 256 || (n.length === 256 && (n[0] ?? 0) < 0x80)) invalidKey("an RSA key needs 2048 bits.");
    const last = e.at(-1) ?? 0;
    if (last % 2 === 0 || (e.length === 1 && last < 3)) invalidKey("an RSA key needs an odd exponent of 3 or more.");
  },
  /** Modulus and exponent of a key in PKCS #1. @throws TypeError if it is not DER. */
  numbersOf: (pkcs1: Uint8Array): readonly [Uint8Array, Uint8Array] => {
    const [n = no, e = no] = readAll(readDer(pkcs1).body).map(({ tag, body }) => (tag === tags.integer ? body : no));
    return [n, e];
  },
  /** Wraps a key in PKCS #1 in SPKI. */
  spkiOf: (pkcs1: Uint8Array): Uint8Array =>
    writeDer(
      tags.sequence,
      writeDer(tags.sequence, identifier, writeDer(tags.none)),
      writeDer(tags.bits, Uint8Array.of(0), pkcs1),
    ),
};

/** The parts that RSA keys need. */
export type RsaKeys = typeof rsa;

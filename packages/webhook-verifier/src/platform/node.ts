import { isUtf8 } from "node:buffer";
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  Hash,
  hash as hashOnce,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { decodeDigits } from "../base64-digits.ts";
import { joined } from "../bytes.ts";
import type { Algorithm, Candidate, HashName, KeyMaterial, Piece, Platform } from "./contract.ts";
import { plainHash } from "./plain-hash.ts";

export { checkKeyText } from "./check-key-text.ts";
export { formFields } from "./form-fields.ts";
export { outlineOf } from "./json-outline.ts";
export { checkOptionNames } from "./option-names.ts";

export const immediate: Platform["immediate"] = true;

/** Returns the only piece, or a state that has taken in all of them. */
const allIn = (name: HashName, pieces: readonly Piece[]): Piece | Hash => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const state = createHash(name);
  for (const piece of pieces) state.update(piece);
  return state;
};

export const hash = (name: HashName, pieces: readonly Piece[]): Uint8Array => {
  const all = allIn(name, pieces);
  return all instanceof Hash ? all.digest() : hashOnce(name, all, "buffer");
};

// node:crypto writes hex itself: building the text from bytes allocates a kilobyte for each digest.
export const hashHex = (name: HashName, pieces: readonly Piece[]): string => {
  const all = allIn(name, pieces);
  return all instanceof Hash ? all.digest("hex") : hashOnce(name, all, "hex");
};

export const equal: Platform["equal"] = (left, right) => left.length === right.length && timingSafeEqual(left, right);

export const random: Platform["random"] = (length) => randomBytes(length);

const hashOf = (algorithm: Algorithm): HashName | null =>
  // The pattern matches exactly these names.
  (/sha(1|256|384|512)/.exec(algorithm)?.[0] as HashName | undefined) ?? null;

const fits = (candidate: Candidate, algorithm: Algorithm): boolean =>
  candidate.algorithm === undefined || candidate.algorithm === algorithm;

/**
 * A buffer for content that is hashed in one call. All calls share it, because nothing waits
 * between writing and hashing.
 */
const buffer = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Copies `start` and the pieces into the buffer. The result is valid until the next call;
 * `undefined` if they do not fit.
 */
const gathered = (start: Uint8Array, pieces: readonly Piece[]): Buffer | undefined => {
  let end = start.length;
  // A character takes at most three bytes.
  for (const piece of pieces) end += typeof piece === "string" ? piece.length * 3 : piece.length;
  if (end > buffer.length) return undefined;
  buffer.set(start);
  end = start.length;
  for (const piece of pieces) {
    if (typeof piece === "string") end += buffer.write(piece, end);
    else {
      buffer.set(piece, end);
      end += piece.length;
    }
  }
  return buffer.subarray(0, end);
};

/** The key in the form of RFC 2104: one block long, hashed first if it is longer. */
const blockOf = (secret: Buffer, name: HashName): Buffer => {
  const block = Buffer.alloc(name === "sha1" || name === "sha256" ? 64 : 128);
  block.set(secret.length > block.length ? hashOnce(name, secret, "buffer") : secret);
  return block;
};

/**
 * HMAC as two hashes (RFC 2104), for content that fits the buffer. `createHmac` takes longer to
 * make its object than to hash a message of usual size. It is used for longer content.
 * `test/hmac.test.ts` compares both ways.
 */
const hmacCoder = (secret: Buffer, name: HashName): ((pieces: readonly Piece[]) => string) => {
  const key = createSecretKey(secret);
  const block = blockOf(secret, name);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(hashOnce(name, "", "buffer").length)]);
  return (pieces) => {
    const content = gathered(inner, pieces);
    if (content === undefined) {
      const state = createHmac(name, key);
      for (const piece of pieces) state.update(piece);
      return state.digest("binary");
    }
    outer.write(hashOnce(name, content, "binary"), block.length, "latin1");
    return hashOnce(name, outer, "binary");
  };
};

/**
 * Makes the code that a message must carry, as Latin-1. node:crypto takes a third longer to return
 * a digest as bytes than as text, and the bytes are needed only for comparison.
 */
const coder = (secret: Buffer, algorithm: Algorithm): ((pieces: readonly Piece[]) => string) => {
  if (algorithm === "token") return () => secret.toString("latin1");
  const plain = plainHash(algorithm);
  if (plain === undefined) return hmacCoder(secret, hashOf(algorithm) ?? "sha256");
  return (pieces) => Buffer.from(hash(plain.name, plain.whole(secret, pieces))).toString("latin1");
};

/**
 * Decodes UTF-8; `undefined` if the bytes are not valid UTF-8. It drops a byte order mark at the
 * beginning.
 */
export const textOf: Platform["textOf"] = (bytes) => {
  if (!isUtf8(bytes)) return undefined;
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = buffer.toString();
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
};

/** The last letter of an alphabet tells which one it is. */
export const encode64: Platform["encode64"] = (bytes, alphabet) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(alphabet.endsWith("_") ? "base64url" : "base64");

/** From this length on, Node's decoder is the faster one. */
const longDigits = 128;

export const decodeBase64: Platform["decodeBase64"] = (text) => {
  if (text.length < longDigits) return decodeDigits(text);
  const bytes = Buffer.from(text, "base64");
  // Node's decoder accepts many spellings of the same bytes.
  return bytes.toString("base64") === text ? new Uint8Array(bytes) : undefined;
};

export const openSecret: Platform["openSecret"] = (bytes, algorithm) => {
  const code = coder(Buffer.from(bytes), algorithm);
  // All calls share it, because nothing waits between writing and comparing.
  const expected = Buffer.alloc(code([]).length);
  return {
    algorithm,
    sign: (pieces) => Buffer.from(code(pieces), "latin1"),
    holds: (signatures, pieces) => {
      expected.write(code(pieces), "latin1");
      for (let index = 0; index < signatures.length; index++) {
        const candidate = signatures[index];
        if (candidate !== undefined && fits(candidate, algorithm) && equal(candidate.bytes, expected)) return true;
      }
      return false;
    },
  };
};

/**
 * What node:crypto must be told in addition to the key. Padding and encoding are never left to a
 * default.
 */
const optionsOf = (algorithm: Algorithm): object => ({
  ...(algorithm.startsWith("ecdsa") && { dsaEncoding: algorithm.endsWith("-der") ? "der" : "ieee-p1363" }),
  ...(algorithm === "rsa-pss-sha512"
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
    : algorithm.startsWith("rsa") && { padding: constants.RSA_PKCS1_PADDING }),
});

const jwkOr = ({ jwk, bytes }: KeyMaterial) =>
  jwk === undefined
    ? ({ key: Buffer.from(bytes), format: "der" } as const)
    : ({ key: { ...jwk }, format: "jwk" } as const);

export const openPublic: Platform["openPublic"] = (material) => {
  const { algorithm } = material;
  const options = { key: createPublicKey({ type: "spki", ...jwkOr(material) }), ...optionsOf(algorithm) };
  const name = hashOf(algorithm);
  const isRight = (signature: Uint8Array, content: Uint8Array): boolean => {
    try {
      return verify(name, content, options, signature);
    } catch {
      return false;
    }
  };
  return {
    algorithm,
    holds: (signatures, pieces) => {
      const content = joined(pieces);
      return signatures.some((candidate) => fits(candidate, algorithm) && isRight(candidate.bytes, content));
    },
  };
};

export const openPrivate: Platform["openPrivate"] = (material) => {
  const { algorithm } = material;
  const options = { key: createPrivateKey({ type: "pkcs8", ...jwkOr(material) }), ...optionsOf(algorithm) };
  return { algorithm, sign: (pieces) => sign(hashOf(algorithm), joined(pieces), options) };
};

import { joined } from "../bytes.ts";
import { encodeHex } from "../hex.ts";
import { atob, btoa, URLSearchParams, utf8 } from "../runtime.ts";
import type { Algorithm, HashName, KeyMaterial, Piece, Platform, VerifyingKey } from "./contract.ts";
import { plainHash } from "./plain-hash.ts";

/**
 * The parts of WebCrypto that are used. They are declared here because DOM types are not available
 * everywhere.
 */
interface Subtle {
  digest(hash: string, data: Uint8Array): Promise<ArrayBuffer>;
  importKey(
    format: string,
    key: Uint8Array | object,
    means: object,
    extractable: boolean,
    uses: string[],
  ): Promise<object>;
  sign(means: object, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  verify(means: object, key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
}
interface WebCrypto {
  readonly subtle: Subtle;
  getRandomValues(bytes: Uint8Array): Uint8Array;
}

/** The platform's text decoder, declared for the same reason. */
interface Decoding {
  readonly TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
}

/**
 * WebCrypto is read at each use, because some runtimes set the global after modules are loaded. The
 * cast states what the interface above describes.
 */
const webCrypto = (): WebCrypto => (globalThis as unknown as { crypto: WebCrypto }).crypto;

/** Writes `sha256` as `SHA-256`, wherever it is in the name of an algorithm. */
const hashIn = (name: string): string => name.replace(/.*?sha(\d+).*/, "SHA-$1");

export const immediate: Platform["immediate"] = false;

export const hash = async (name: HashName, pieces: readonly Piece[]): Promise<Uint8Array> =>
  new Uint8Array(await webCrypto().subtle.digest(hashIn(name), joined(pieces)));

export const hashHex = async (name: HashName, pieces: readonly Piece[]): Promise<string> =>
  encodeHex(await hash(name, pieces));

export const equal: Platform["equal"] = (left, right) => {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at++) difference |= (left[at] ?? 0) ^ (right[at] ?? 0);
  return difference === 0;
};

const decoder = new (globalThis as unknown as Decoding).TextDecoder("utf-8", { fatal: true });

export const textOf: Platform["textOf"] = (bytes) => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/**
 * It writes bytes first, because a text that grows by single characters takes ten times as
 * long.
 */
export const encode64: Platform["encode64"] = (bytes, alphabet) => {
  const length = Math.ceil((bytes.length * 4) / 3);
  const codes = new Uint8Array(length + 3);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to] = alphabet.charCodeAt(bits >> 18);
    codes[to + 1] = alphabet.charCodeAt((bits >> 12) & 63);
    codes[to + 2] = alphabet.charCodeAt((bits >> 6) & 63);
    codes[to + 3] = alphabet.charCodeAt(bits & 63);
  }
  return textOf(codes.subarray(0, length)) ?? "";
};

export const decodeBase64: Platform["decodeBase64"] = (text) => {
  try {
    const characters = atob(text);
    // `atob` accepts white space, missing padding and left-over bits. Here only one spelling is
    // valid.
    if (btoa(characters) !== text) return undefined;
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
};

export const random: Platform["random"] = (length) => webCrypto().getRandomValues(new Uint8Array(length));

/**
 * Starts to take a key in. The first use of the key reports a failure. Until then the failure must
 * not count as unhandled.
 */
const imported = (format: string, key: Uint8Array | object, means: object, use: string): Promise<object> => {
  const promise = webCrypto().subtle.importKey(format, key, means, false, [use]);
  promise.catch(() => undefined);
  return promise;
};

/** A key that tries signatures one after the other. */
const trying = (
  algorithm: Algorithm,
  prepare: (pieces: readonly Piece[]) => Promise<(signature: Uint8Array) => boolean | Promise<boolean>>,
): VerifyingKey => ({
  algorithm,
  holds: async (signatures, pieces) => {
    const isRight = await prepare(pieces);
    for (const candidate of signatures)
      if ((candidate.algorithm ?? algorithm) === algorithm && (await isRight(candidate.bytes))) return true;
    return false;
  },
});

// Bundles stay small.
export const outlineOf: Platform["outlineOf"] = () => undefined;

const plus = 0x2b;
const blank = 0x20;

/** A million plus signs would take the platform 400 ms, and `replaceAll` nearly as long. */
const withBlanks = (text: string): string => {
  const bytes = utf8(text);
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === plus) bytes[at] = blank;
  return textOf(bytes) ?? "";
};

// A leading question mark would be read as the start of a query and dropped.
export const formFields: Platform["formFields"] = (text) =>
  new URLSearchParams(`&${text.includes("+") ? withBlanks(text) : text}`);

export function checkOptionNames(): void {
  // Bundlers leave out the calls of an empty function, if it is declared like this.
}

export function checkKeyText(): void {
  // As above.
}

export const openSecret: Platform["openSecret"] = (bytes, algorithm) => {
  const key = algorithm.startsWith("hmac")
    ? imported("raw", bytes, { name: "HMAC", hash: hashIn(algorithm) }, "sign")
    : undefined;
  const plain = plainHash(algorithm);
  const sign = async (pieces: readonly Piece[]): Promise<Uint8Array> =>
    key !== undefined
      ? new Uint8Array(await webCrypto().subtle.sign({ name: "HMAC" }, await key, joined(pieces)))
      : plain === undefined
        ? bytes
        : hash(plain.name, plain.whole(bytes, pieces));
  return {
    ...trying(algorithm, async (pieces) => {
      const expected = await sign(pieces);
      return (signature) => equal(signature, expected);
    }),
    sign,
  };
};

/** An asymmetric key, what WebCrypto must be told when it is used, and the size of a coordinate. */
const opened = ({ algorithm, bytes, jwk }: KeyMaterial, format: string, use: string) => {
  const [family = "", second = ""] = algorithm.split("-");
  // For an ECDSA key: `p256` is the curve P-256, whose coordinates have 32 bytes.
  const bits = second.slice(1);
  const name =
    family === "rsa" ? (second === "pss" ? "RSA-PSS" : "RSASSA-PKCS1-v1_5") : family === "ecdsa" ? "ECDSA" : "Ed25519";
  // Algorithms ignore members that they do not know.
  const means = { name, hash: hashIn(algorithm), namedCurve: `P-${bits}`, saltLength: 64 };
  return {
    means,
    size: Math.ceil(Number(bits) / 8),
    key: imported(jwk === undefined ? format : "jwk", jwk ?? bytes, means, use),
  };
};

export const openPublic: Platform["openPublic"] = (material) => {
  const { means, size, key } = opened(material, "spki", "verify");
  return trying(material.algorithm, async (pieces) => {
    const content = joined(pieces);
    return async (signature) => {
      const raw = material.der === undefined ? signature : material.der.toRaw(signature, size);
      try {
        return raw !== undefined && (await webCrypto().subtle.verify(means, await key, raw, content));
      } catch {
        return false;
      }
    };
  });
};

export const openPrivate: Platform["openPrivate"] = (material) => {
  const { means, key } = opened(material, "pkcs8", "sign");
  return {
    algorithm: material.algorithm,
    sign: async (pieces) => {
      const signature = new Uint8Array(await webCrypto().subtle.sign(means, await key, joined(pieces)));
      return material.der === undefined ? signature : material.der.fromRaw(signature);
    },
  };
};

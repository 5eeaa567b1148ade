import { concat } from "../bytes.ts";
import { type MaybePromise, utf8 } from "../runtime.ts";
import type { Algorithm, HashName, KeyMaterial, Piece, Platform, PlatformKey } from "./contract.ts";

/** What is used of WebCrypto, written down because the DOM types are not everywhere. */
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

/** Looked up at use: some runtimes set the global after modules are loaded. The cast says what the interface above says. */
const webCrypto = (): WebCrypto => (globalThis as unknown as { crypto: WebCrypto }).crypto;

const hashNames: Readonly<Record<HashName, string>> = {
  sha1: "SHA-1",
  sha256: "SHA-256",
  sha384: "SHA-384",
  sha512: "SHA-512",
};

/** Bytes of one coordinate of a curve's points. */
const curves: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  p256: { name: "P-256", size: 32 },
  p384: { name: "P-384", size: 48 },
  p521: { name: "P-521", size: 66 },
};

interface Means {
  readonly import: object;
  readonly use: object;
  /** Bytes of a coordinate. */
  readonly size?: number;
}

const meansOf = (algorithm: Algorithm): Means => {
  const [family = "", second = ""] = algorithm.split("-");
  const hash = hashNames[(/sha\d+/.exec(algorithm)?.[0] ?? "sha256") as HashName];
  if (family === "ed25519") return { import: { name: "Ed25519" }, use: { name: "Ed25519" } };
  if (family === "hmac") return { import: { name: "HMAC", hash }, use: { name: "HMAC" } };
  if (family === "rsa") {
    const name = second === "pss" ? "RSA-PSS" : "RSASSA-PKCS1-v1_5";
    return { import: { name, hash }, use: { name, saltLength: 64 } };
  }
  const curve = curves[second];
  return { import: { name: "ECDSA", namedCurve: curve?.name }, use: { name: "ECDSA", hash }, size: curve?.size ?? 0 };
};

interface NativeKey {
  readonly means: Means;
  readonly der: KeyMaterial["der"];
  readonly bytes: Uint8Array;
  readonly imported?: Promise<object>;
}

/** Only `importKey` below makes the `native` of the keys that come back here. */
const nativeOf = (key: PlatformKey): NativeKey => key.native as NativeKey;

const joined = (pieces: readonly Piece[]): Uint8Array =>
  concat(pieces.map((piece) => (typeof piece === "string" ? utf8(piece) : piece)));

const hash = async (name: HashName, pieces: readonly Piece[]): Promise<Uint8Array> =>
  new Uint8Array(await webCrypto().subtle.digest(hashNames[name], joined(pieces)));

const importKey = ({ form, bytes, algorithm, der, jwk }: KeyMaterial): PlatformKey => {
  const means = meansOf(algorithm);
  if (algorithm === "token" || algorithm === "sha256-prefix") return { algorithm, form, native: { means, bytes, der } };
  const format = jwk === undefined ? { secret: "raw", public: "spki", private: "pkcs8" }[form] : "jwk";
  const imported = webCrypto().subtle.importKey(format, jwk ?? bytes, means.import, false, [
    form === "public" ? "verify" : "sign",
  ]);
  // Whoever uses the key gets the failure; until then it must not count as unhandled.
  imported.catch(() => undefined);
  return { algorithm, form, native: { means, bytes, der, imported } };
};

const signWith = async (key: PlatformKey, content: Uint8Array): Promise<Uint8Array> => {
  const { means, imported, der } = nativeOf(key);
  if (imported === undefined) throw new TypeError("a key of another form");
  const signature = new Uint8Array(await webCrypto().subtle.sign(means.use, await imported, content));
  return der === undefined ? signature : der.fromRaw(signature);
};

const mac = (key: PlatformKey, pieces: readonly Piece[]): MaybePromise<Uint8Array> => {
  if (key.algorithm === "token") return nativeOf(key).bytes;
  if (key.algorithm === "sha256-prefix") return hash("sha256", [nativeOf(key).bytes, ...pieces]);
  return signWith(key, joined(pieces));
};

/** WebCrypto, as every runtime has it. */
export const platform: Platform = {
  immediate: false,
  importKey,
  hash,
  mac,
  verify: async (key, signature, content) => {
    const { means, imported, der } = nativeOf(key);
    if (imported === undefined) return false;
    const raw = der === undefined ? signature : der.toRaw(signature, means.size ?? 0);
    return raw !== undefined && webCrypto().subtle.verify(means.use, await imported, raw, content);
  },
  sign: signWith,
  equal: (left, right) => {
    if (left.length !== right.length) return false;
    let difference = 0;
    for (let at = 0; at < left.length; at++) difference |= (left[at] ?? 0) ^ (right[at] ?? 0);
    return difference === 0;
  },
  random: (length) => webCrypto().getRandomValues(new Uint8Array(length)),
};

import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash as hashOnce,
  type KeyObject,
  randomBytes,
  type SignKeyObjectInput,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import type { Algorithm, HashName, Piece, Platform, PlatformKey } from "./contract.ts";

/** A key with what node:crypto has to be told besides: padding and encoding are never left to a default. */
interface NativeKey {
  readonly key: KeyObject;
  readonly hash: HashName | null;
  readonly options: SignKeyObjectInput;
}

/** Only `importKey` below makes the `native` of the keys that come back here. */
const nativeOf = (key: PlatformKey): NativeKey => key.native as NativeKey;

const hashOf = (algorithm: Algorithm): HashName | null =>
  // The pattern matches exactly the names.
  (/sha(1|256|384|512)/.exec(algorithm)?.[0] as HashName | undefined) ?? null;

const native = (key: KeyObject, algorithm: Algorithm): NativeKey => ({
  key,
  hash: hashOf(algorithm),
  options: {
    key,
    ...(algorithm.startsWith("ecdsa") && { dsaEncoding: algorithm.endsWith("-der") ? "der" : "ieee-p1363" }),
    ...(algorithm === "rsa-pss-sha512"
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
      : algorithm.startsWith("rsa") && { padding: constants.RSA_PKCS1_PADDING }),
  },
});

const hash = (name: HashName, pieces: readonly Piece[]): Uint8Array => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return hashOnce(name, only, "buffer");
  const state = createHash(name);
  for (const piece of pieces) state.update(piece);
  return state.digest();
};

const secretBytes = (key: PlatformKey): Uint8Array => nativeOf(key).key.export();

/** node:crypto. */
export const platform: Platform = {
  immediate: true,
  importKey: ({ form, bytes, algorithm, jwk }) => {
    if (form === "secret") return { algorithm, form, native: native(createSecretKey(bytes), algorithm) };
    const der = { key: Buffer.from(bytes), format: "der" } as const;
    const members = jwk === undefined ? undefined : ({ key: { ...jwk }, format: "jwk" } as const);
    const key =
      form === "public"
        ? createPublicKey(members ?? { ...der, type: "spki" })
        : createPrivateKey(members ?? { ...der, type: "pkcs8" });
    return { algorithm, form, native: native(key, algorithm) };
  },
  hash,
  mac: (key, pieces) => {
    if (key.algorithm === "token") return secretBytes(key);
    if (key.algorithm === "sha256-prefix") return hash("sha256", [secretBytes(key), ...pieces]);
    const { key: secret, hash: name } = nativeOf(key);
    const state = createHmac(name ?? "sha256", secret);
    for (let index = 0; index < pieces.length; index++) state.update(pieces[index] ?? "");
    return state.digest();
  },
  verify: (key, signature, content) => {
    const { hash: name, options } = nativeOf(key);
    return verify(name, content, options, signature);
  },
  sign: (key, content) => {
    const { hash: name, options } = nativeOf(key);
    return sign(name, content, options);
  },
  equal: (left, right) => left.length === right.length && timingSafeEqual(left, right),
  random: (length) => randomBytes(length),
};

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

/** Only `importKey` below makes the `native` of the keys that come back here. */
const nativeOf = (key: PlatformKey): KeyObject => key.native as KeyObject;

const hashOf = (algorithm: Algorithm): HashName => {
  const name = /sha(1|256|384|512)/.exec(algorithm)?.[0];
  // The pattern has just matched one of the names.
  return name as HashName;
};

/** What node:crypto has to be told besides the key; padding and encoding are never left to a default. */
interface Means {
  readonly hash: HashName | null;
  readonly options: Omit<SignKeyObjectInput, "key">;
}

const means = new Map<Algorithm, Means>();

const meansOf = (algorithm: Algorithm): Means => {
  const known = means.get(algorithm);
  if (known !== undefined) return known;
  const made: Means = {
    hash: algorithm === "ed25519" ? null : hashOf(algorithm),
    options: algorithm.startsWith("ecdsa")
      ? { dsaEncoding: algorithm.endsWith("-der") ? "der" : "ieee-p1363" }
      : algorithm === "rsa-pss-sha512"
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
        : algorithm.startsWith("rsa")
          ? { padding: constants.RSA_PKCS1_PADDING }
          : {},
  };
  means.set(algorithm, made);
  return made;
};

const hash = (name: HashName, pieces: readonly Piece[]): Uint8Array => {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return hashOnce(name, only, "buffer");
  const state = createHash(name);
  for (const piece of pieces) state.update(piece);
  return state.digest();
};

/** node:crypto. */
export const platform: Platform = {
  immediate: true,
  importKey: ({ form, bytes, algorithm, jwk }) => {
    if (form === "secret") return { algorithm, form, native: createSecretKey(bytes) };
    if (jwk !== undefined) {
      const make = form === "public" ? createPublicKey : createPrivateKey;
      return { algorithm, form, native: make({ key: { ...jwk }, format: "jwk" }) };
    }
    const key =
      form === "public"
        ? createPublicKey({ key: Buffer.from(bytes), format: "der", type: "spki" })
        : createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" });
    return { algorithm, form, native: key };
  },
  hash,
  mac: (key, pieces) => {
    if (key.algorithm === "token") return nativeOf(key).export();
    if (key.algorithm === "sha256-prefix") return hash("sha256", [nativeOf(key).export(), ...pieces]);
    const state = createHmac(hashOf(key.algorithm), nativeOf(key));
    for (const piece of pieces) state.update(piece);
    return state.digest();
  },
  verify: (key, signature, content) => {
    const { hash: name, options } = meansOf(key.algorithm);
    return verify(name, content, { key: nativeOf(key), ...options }, signature);
  },
  sign: (key, content) => {
    const { hash: name, options } = meansOf(key.algorithm);
    return sign(name, content, { key: nativeOf(key), ...options });
  },
  equal: (left, right) => left.length === right.length && timingSafeEqual(left, right),
  random: (length) => randomBytes(length),
};

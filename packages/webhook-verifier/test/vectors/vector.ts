import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import type { Covered, Keys, Settings, SignInput } from "../../src/index.ts";

/** A request whose parts tests can change. */
export interface VectorRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** One delivery as its sender makes it, and the result that it must have. */
export interface Vector {
  /**
   * Who made the signature: the sender's documentation, its package (or, where that only verifies,
   * the formula, and the package accepted it), or the documented formula written anew in the tests.
   */
  readonly from: "documentation" | "package" | "formula";
  readonly keys: Keys;
  /** Keys of the same kind that did not sign it. */
  readonly otherKeys: Keys;
  readonly settings?: Settings;
  /** For the short secrets of senders' own examples. */
  readonly allowShort?: boolean;
  /** When it is received; 21 November 2026 at noon unless given. */
  readonly now?: number;
  readonly request: VectorRequest;
  readonly expected: {
    readonly id?: string;
    readonly type?: string;
    readonly timestamp?: number;
    readonly covered?: readonly Covered[];
    readonly dedupeKey?: string | undefined;
    readonly keyId?: string;
  };
  /**
   * What makes `sign` give exactly this request; absent where a signature is never the same twice.
   */
  readonly signing?: Omit<SignInput, "body"> & { readonly body?: string | Uint8Array };
  /** What makes `sign` give some valid request. */
  readonly resigning?: Omit<SignInput, "body"> & { readonly body?: string | Uint8Array };
  /**
   * Changes to covered parts that the common ones do not make, and those of signatures that stand
   * in the body.
   */
  readonly tampered?: Readonly<Record<string, (request: VectorRequest) => VectorRequest>>;
  /** Headers that may be absent, because another holds a signature as well. */
  readonly optionalHeaders?: readonly string[];
}

export const now = Date.UTC(2026, 10, 21, 12, 0, 0);
export const seconds = String(now / 1000);
export const millis = String(now);
export const iso = new Date(now).toISOString();

/** The documented formulas, straight on node:crypto: nothing of ours takes part. */
export const hmac = (hash: string, key: string | Buffer, ...content: string[]): Buffer =>
  createHmac(hash, key).update(content.join("")).digest();
export const hex = (hash: string, key: string | Buffer, ...content: string[]): string =>
  hmac(hash, key, ...content).toString("hex");
export const base64 = (hash: string, key: string | Buffer, ...content: string[]): string =>
  hmac(hash, key, ...content).toString("base64");
export const sha256 = (...content: string[]): string => createHash("sha256").update(content.join("")).digest("hex");

const pkcs8Ed25519 = (seed: Buffer): Buffer =>
  Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);

/** An Ed25519 pair that is the same in every run. */
export const ed25519 = (
  fill: number,
): { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly seed: Buffer; readonly raw: Buffer } => {
  const seed = Buffer.alloc(32, fill);
  const privateKey = createPrivateKey({ key: pkcs8Ed25519(seed), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, seed, raw: publicKey.export({ format: "der", type: "spki" }).subarray(-32) };
};

export const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const otherRsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const p256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const otherP256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const p521 = generateKeyPairSync("ec", { namedCurve: "secp521r1" });
export const otherP521 = generateKeyPairSync("ec", { namedCurve: "secp521r1" });

export const pem = (key: KeyObject): string =>
  key.export({ format: "pem", type: key.type === "private" ? "pkcs8" : "spki" }).toString();
export const spki64 = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");

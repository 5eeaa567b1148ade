import { hashHex } from "#platform";
import type { MaybePromise } from "./runtime.ts";

/** SHA-256 in lower-case hex. */
export const sha256Hex = async (bytes: Uint8Array): Promise<string> => hashHex("sha256", [bytes]);

/**
 * The same, without waiting if the platform can (Node, Bun, Deno): a promise costs as much as
 * hashing a small body.
 */
export const sha256HexSoon = (bytes: Uint8Array): MaybePromise<string> => hashHex("sha256", [bytes]);

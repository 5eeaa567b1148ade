import { hashHex } from "#platform";
import type { MaybePromise } from "./runtime.ts";

/** Lower-case hex SHA-256. */
export const sha256Hex = async (bytes: Uint8Array): Promise<string> => hashHex("sha256", [bytes]);

/** The same, at once where the platform can (Node, Bun, Deno): waiting costs as much as hashing a small body. */
export const sha256HexSoon = (bytes: Uint8Array): MaybePromise<string> => hashHex("sha256", [bytes]);

import { hash } from "#platform";
import { encodeHex } from "./hex.ts";

/** Lower-case hex SHA-256. */
export const sha256Hex = async (bytes: Uint8Array): Promise<string> => encodeHex(await hash("sha256", [bytes]));

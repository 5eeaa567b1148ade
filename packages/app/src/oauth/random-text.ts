import { utf8Encode } from "@postern/core/internal";
import type { Randomness } from "@postern/core/ports";
import { sha256Hex } from "@postern/webhook-verifier";
import { z } from "zod";

/** This many random bytes in hexadecimal. */
export const randomHex = (randomness: Pick<Randomness, "bytes">, bytes: number): string =>
  z.util.uint8ArrayToHex(randomness.bytes(bytes));

/**
 * The challenge of a verifier by the method S256 (RFC 7636, section 4.2): base64url of its SHA-256.
 */
export const challengeOf = async (verifier: string): Promise<string> =>
  z.util.uint8ArrayToBase64url(z.util.hexToUint8Array(await sha256Hex(utf8Encode(verifier))));

import { fingerprint } from "../fingerprint.ts";

/**
 * 48 URL-safe characters that depend on every character of `text`, for memory adapters, which must
 * run anywhere. Not secure against an attacker.
 */
export const weakDigest = (text: string): string => fingerprint(text, 8);

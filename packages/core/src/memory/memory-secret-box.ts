import type { SecretBox } from "../ports/secret-box.ts";
import { weakDigest } from "./weak-digest.ts";

const masked = (text: string, mask: string): string => {
  let result = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index) ^ Math.imul(mask.charCodeAt(index % mask.length), 0x101);
    result += (unit & 0xffff).toString(16).padStart(4, "0");
  }
  return result;
};

const unitsOf = (hex: string): string =>
  (hex.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join("");

/**
 * Masks secrets so that they are not stored in plain text, and notices alterations, other keys and
 * other contexts. It is not secure against an attacker. For tests and examples. Boxes with the same
 * `key` open each other's texts.
 */
export const memorySecretBox = (key = "memory"): SecretBox => {
  const mark = (secret: string, context: string): string => weakDigest(JSON.stringify([key, context, secret]));
  return {
    seal: async (secret, context) => `memory.${masked(secret, weakDigest(key))}.${mark(secret, context)}`,
    open: async (sealed, context) => {
      const [, hex, seal] = /^memory\.((?:[0-9a-f]{4})*)\.([\w-]{48})$/.exec(sealed) ?? [];
      if (hex === undefined) throw new Error("this is not a sealed secret");
      const secret = unitsOf(masked(unitsOf(hex), weakDigest(key)));
      if (seal !== mark(secret, context)) throw new Error("the sealed secret was altered or belongs to something else");
      return secret;
    },
    digest: async (secret) => weakDigest(`digest ${secret}`),
  };
};

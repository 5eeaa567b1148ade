import { defineScheme } from "./define-scheme.ts";
import type { Encoding } from "./encoding.ts";
import { misconfigured } from "./errors.ts";
import { hex } from "./hex.ts";
import type { KeyNotation } from "./keys/key.ts";
import { textSecret } from "./keys/secret.ts";
import type { Algorithm } from "./platform/contract.ts";
import type { Location, Scheme } from "./scheme.ts";
import type { SignatureLayout } from "./signature-header.ts";
import type { TimeUnit } from "./timestamps.ts";

/** How a sender that has no scheme of its own signs with a shared secret. */
export interface HmacOptions {
  /** The header that holds the signature. */
  readonly header: string;
  /** How the signature is written. Default: `hex`. Others: `base64`, `base64url`. */
  readonly encoding?: Encoding | undefined;
  /** Text before the signature, such as `sha256=`. */
  readonly prefix?: string | undefined;
  /** For headers made of `name=value` pairs, such as `t=…,v1=…`. */
  readonly pairs?: SignatureLayout["pairs"] | undefined;
  /** The signed content, as in `SchemeLayout.signed`. Default: `{body}`. */
  readonly content?: string | undefined;
  /** The hash. Default: `sha256`. */
  readonly hash?: "sha1" | "sha256" | "sha384" | "sha512" | undefined;
  /**
   * How the secret is written. Default: its text is the key. Others: `base64Secret(…)`,
   * `hexSecret(…)`; with these `hash` has no effect.
   */
  readonly key?: KeyNotation | undefined;
  /** The header of the time, if `content` has `{timestamp}` and no pair holds the time. */
  readonly timestampHeader?: string | undefined;
  /** How the time is written. Default: `s`. */
  readonly timestampUnit?: TimeUnit | undefined;
  /**
   * How many seconds the signed time may be from now, in either direction. Default: 300 if the time
   * is signed.
   */
  readonly toleranceSeconds?: number | undefined;
  /** The header of a signed id, where `content` has `{id}`. */
  readonly idHeader?: string | undefined;
  /**
   * The places of the event's id and type if they are not in `idHeader`: `header:<name>` or
   * `body:<path>`.
   */
  readonly id?: Location | undefined;
  readonly type?: Location | undefined;
  /** Kebab-case. Default: `hmac`. Deliveries carry it as `scheme`. */
  readonly name?: string | undefined;
}

const hashes: readonly string[] = ["sha1", "sha256", "sha384", "sha512"];

// A test compares them with `HmacOptions`.
const optionNames: readonly string[] = [
  "header",
  "encoding",
  "prefix",
  "pairs",
  "content",
  "hash",
  "key",
  "timestampHeader",
  "timestampUnit",
  "toleranceSeconds",
  "idHeader",
  "id",
  "type",
  "name",
];

/**
 * Makes a scheme for any sender that signs with HMAC (RFC 2104): `hmac({ header:
 * "X-Acme-Signature", encoding: base64, content: "{timestamp}.{body}", timestampHeader:
 * "X-Acme-Time" })`.
 * @throws WebhookConfigError `setting_invalid` for options that cannot work.
 */
export const hmac = (options: HmacOptions): Scheme => {
  if (!options)
    misconfigured(
      "setting_invalid",
      'Say at least which header holds the signature: hmac({ header: "X-Acme-Signature" }).',
    );
  const { header, encoding = hex, prefix, pairs, content = "{body}", hash = "sha256", name = "hmac" } = options;
  const { timestampHeader, timestampUnit = "s", toleranceSeconds = 300, idHeader, id, type } = options;
  const unknown = Object.keys(options).find((option) => !optionNames.includes(option));
  if (unknown !== undefined)
    misconfigured(
      "setting_invalid",
      `hmac has no option ${JSON.stringify(unknown)}. There are ${optionNames.join(", ")}.`,
    );
  if (!hashes.includes(hash))
    misconfigured("setting_invalid", `hash is ${JSON.stringify(hash)}: there are ${hashes.join(", ")}.`);
  const algorithm: Algorithm = `hmac-${hash}`;
  const timed = content.includes("{timestamp}");
  if (!timed && (timestampHeader !== undefined || options.toleranceSeconds !== undefined))
    misconfigured(
      "setting_invalid",
      'The time is not signed: `content` has no {timestamp}. Add it, as in "{timestamp}.{body}", or leave `timestampHeader` and `toleranceSeconds` out.',
    );
  if (timed && timestampHeader === undefined && pairs?.timestamp === undefined)
    misconfigured(
      "setting_invalid",
      "{timestamp} has no place: name its header in `timestampHeader`, or its name in `pairs.timestamp`.",
    );
  // The sender decides about ids and types, so none is promised.
  return defineScheme({
    name,
    key: options.key ?? textSecret(algorithm),
    signature: {
      header,
      encoding,
      ...(prefix !== undefined && { prefix }),
      ...(pairs !== undefined && { pairs }),
    },
    signed: content,
    ...(timed && {
      timestamp: {
        unit: timestampUnit,
        toleranceSeconds,
        ...(timestampHeader !== undefined && { header: timestampHeader }),
      },
    }),
    ...(idHeader !== undefined && { idHeader }),
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
  });
};

import { option, textsOf, wholeNumber } from "@postern/core/internal";
import type { PayloadSchema } from "@postern/inbox";
import type { Dedupe, KeySource, Scheme, Settings, VerifierOptions } from "@postern/webhook-verifier";
import { flag, matching, numbered, ruled, text, type Written } from "./setting.ts";

const isText = option.aText.is;
/** One key or several. */
export const keyTexts = {
  is: (value: unknown) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  says: "a text or a list of texts",
  secret: true,
};

/** Several texts, separated by commas: keys, while one replaces another. A PEM contains no comma. */
const parted = (written: string): readonly string[] =>
  // `docker --env-file` keeps quotes. The whole is passed on, and the verifier names them.
  /^\s*(["']).*\1\s*$/s.test(written)
    ? [written.trim()]
    : written
        // Supabase shows its secrets with the version in front; that comma does not separate keys.
        .replaceAll("v1,whsec_", "whsec_")
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");

const severalKeys = ruled<string | readonly string[]>(keyTexts, { read: parted, written: "keys, separated by commas" });

const keptHeaders = textsOf(() => true, 'names of headers, such as ["x-shop", "x-acme-*"]');

const waysToTellRepeats = ["id", "body", "none"];

/** The settings of one sender. The table of senders in docs/configuration.md is made from it. */
export const senderSettings = {
  /**
   * The name of a scheme (`stripe`, `github`, `standard-webhooks`, …) or a scheme of your own.
   * @defaultValue the scheme with the sender's name
   */
  scheme: ruled<string | Scheme>({
    is: (value) => isText(value) || option.anObject.is(value),
    says: "a scheme's name or a scheme of your own",
  })({ env: "SCHEME" }),
  /** The shared secret in the sender's notation. Give several while one replaces another. */
  secret: severalKeys({ env: "SECRET" }),
  /** The public key in the sender's notation, for senders that sign with a private key, or several. */
  publicKey: severalKeys({ env: "PUBLIC_KEY" }),
  /** Where the sender publishes its public keys (RFC 7517), in place of the keys themselves. */
  jwksUrl: text({ env: "JWKS_URL" }),
  /**
   * Another source of keys in place of the keys themselves: `snsCertificates()`, `graphKeys(…)` or
   * `keyLookup(…)` of `@postern/webhook-verifier`.
   */
  keySource: ruled<KeySource>(option.anObject)({}),
  /** What the scheme needs in addition to keys, e.g. the audience of a token. The scheme's page lists it. */
  settings: ruled<Settings>(option.anObject)({}),
  /**
   * The schemas of its events, by type (`*` stands for any run of characters): zod schemas, any
   * others that implement Standard Schema, or JSON Schemas. Events that do not fit are quarantined.
   */
  schemas: ruled<Readonly<Record<string, PayloadSchema>>>(option.anObject)({}),
  /**
   * How many seconds the signed time may be from now, in either direction.
   * @defaultValue the scheme's own window
   */
  toleranceSeconds: numbered(wholeNumber(0))({}),
  /**
   * Accepts secrets under 16 bytes from this sender. An attacker can guess such a secret from a single
   * message, so use this only for a secret that you cannot replace. `postern doctor` lists these senders.
   * @defaultValue `0`
   */
  allowShort: flag({ env: "ALLOW_SHORT" }),
  /**
   * What makes a delivery of this sender a repeat, if you know better than its scheme: `id`, `body`
   * (the same body within the window) or `none`. A configuration file can also say where the id is,
   * and how long the window: `{ by: "id", id: "header:x-event-id" }`, `{ by: "body", windowSeconds: 600 }`.
   * @defaultValue by the scheme
   */
  dedupe: ruled<NonNullable<VerifierOptions["dedupe"]>>(
    {
      is: (value) => isText(value) || option.anObject.is(value),
      says: '"id", "body", "none" or { by: "body", windowSeconds: 600 }',
    },
    {
      read: (written) => (waysToTellRepeats.includes(written) ? written : undefined),
      written: "id, body or none",
    },
  )({ env: "DEDUPE" }),
  /**
   * Headers that are kept with each event beside those that the scheme names: lower-case names, or
   * beginnings with `*` behind them. Signatures, secrets, `authorization`, `proxy-authorization` and
   * `cookie` are never kept.
   */
  headers: ruled<readonly string[]>(keptHeaders, {
    read: (written) => parted(written.toLowerCase()),
    written: "names of headers, separated by commas",
  })({ env: "HEADERS" }),
  /**
   * Runs a dead event of this sender again when the sender sends it again. Its dead jobs then run
   * again, as with `postern jobs retry`; cancelled jobs do not. Otherwise the sender gets
   * `"state": "dead"` in the answer, and the event stays dead.
   * @defaultValue `0`
   */
  replayOnResend: flag({ env: "REPLAY_ON_RESEND" }),
  /**
   * Keeps up to 64 KiB of the bodies of refused deliveries for a day, for people who look into them.
   * Nobody has proved what is in such a body.
   * @defaultValue `false`
   */
  keepRefusedBodies: flag({}),
};

/** What only the environment says beside these. In a configuration file it is a part of `dedupe`. */
export const senderVariables = {
  /**
   * For how long the same body is a repeat, with `WEBHOOK_<NAME>_DEDUPE=body`: seconds, or a number
   * with `s`, `m`, `h` or `d`.
   * @defaultValue the scheme's, or `1d`
   */
  dedupeWindow: matching(
    /^[1-9]\d{0,7}[smhd]?$/,
    "seconds above 0, or a number with s, m, h or d, such as 10m",
  )({ env: "DEDUPE_WINDOW" }),
};

/** A sender of webhooks in the configuration. It needs at least one kind of key. */
export interface ProviderDeclaration extends Written<typeof senderSettings> {}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** What `DEDUPE` and `DEDUPE_WINDOW` say together. */
export const repeatsWithin = (window: string): Dedupe => ({
  by: "body",
  windowSeconds: Number.parseInt(window, 10) * (unitSeconds[window.at(-1) ?? ""] ?? 1),
});

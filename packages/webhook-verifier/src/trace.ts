import { decodeBase64, hashHex, textOf } from "#platform";
import type { WebhookErrorCode, WebhookVerificationError } from "./errors.ts";
import { findHeader, type HeaderSource, type HeadersLike, rawHeader } from "./headers.ts";
import type { Repeat } from "./identity.ts";
import { type FindKeys, openKeyring } from "./keys/keyring.ts";
import type { Piece } from "./platform/contract.ts";
import { isRefusal } from "./refusal.ts";
import { type Incoming, type ReceivedRequest, readIncoming } from "./request.ts";
import { utf8 } from "./runtime.ts";
import type { Assertion, Covered, Scheme } from "./scheme.ts";
import { checkSettings } from "./settings.ts";
import { hintOf } from "./trace-hints.ts";
import { createVerifier, firstToHold, type VerifierOptions } from "./verify.ts";

/** A header that was looked at. */
interface TracedHeader {
  /** In lower case. */
  readonly name: string;
  /** Characters; `undefined` if the request does not have it. */
  readonly length?: number | undefined;
  /**
   * Up to 200 printable characters, only of headers that hold an id, a type, a time or the id of a
   * key. A header with a signature or a secret shows none.
   */
  readonly value?: string | undefined;
}

/** Bytes, told without showing them. */
interface TracedBytes {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The keys that were tried. */
interface TracedKeys {
  /** How many fit the message and are valid now; `undefined` where that was not kept. */
  readonly tried?: number | undefined;
  /** The id of the key that the message names. */
  readonly named?: string | undefined;
  /** The place of the key that matched among those that were tried, from 1 on. */
  readonly matched?: number | undefined;
  /** Its id, if it has one. */
  readonly id?: string | undefined;
}

/** The time that a message says it was signed at. It is proved only if the signature holds. */
interface TracedTime {
  /** Milliseconds since the epoch. */
  readonly signedAt: number;
  /** By how many seconds it was signed before it was checked; negative if after. */
  readonly skewSeconds: number;
  /** How many are allowed in either direction; `undefined` for any. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * How a delivery was verified. It never contains a secret, a signature, or the signature that would
 * have been right, and it can be written as JSON.
 */
export interface VerificationTrace {
  readonly scheme: string;
  readonly valid: boolean;
  /** Why it was refused; `undefined` if it is valid. */
  readonly code?: WebhookErrorCode | undefined;
  readonly message?: string | undefined;
  /** What to do about it, in a sentence; `undefined` if it is valid. */
  readonly hint?: string | undefined;
  /** The sender's event id and type; `undefined` for a refused one. */
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  /** Those that the scheme has read, in order. At most 30. */
  readonly headers: readonly TracedHeader[];
  /** How many signatures were found; `undefined` for a delivery of which they were not kept. */
  readonly signatures?: number | undefined;
  /** The parts of the request that the signature covers. */
  readonly covered: readonly Covered[];
  /** How the signed bytes are put together, if the scheme has it as a template. */
  readonly content?: string | undefined;
  /** What is signed; `undefined` if the message could not be read so far, or signs no bytes. */
  readonly signed?: TracedBytes | undefined;
  /** `undefined` if the body is no bytes, or too long. */
  readonly body?: TracedBytes | undefined;
  /** `undefined` if it did not come to that. */
  readonly keys?: TracedKeys | undefined;
  /** `undefined` if the sender signs no time, or it could not be read. */
  readonly time?: TracedTime | undefined;
  /** On what it is decided whether it is a repeat; `undefined` for a refused one. */
  readonly repeat?: (Repeat & { readonly key?: string | undefined }) | undefined;
}

const mostHeaders = 30;
const longestValue = 200;
/** Other spellings of a body are tried up to this length: each costs as much as a verification. */
const longestRespelt = 256 * 1024;

/** How headers of times end in schemes that have no layout. */
const namesTime = /(^|-)(timestamp|time|date)$/;

/** The headers whose values are no secret: those of times, ids, types and ids of keys. */
const openHeaders = ({ layout, id, type }: Scheme): ReadonlySet<string> =>
  new Set(
    [
      layout?.timestamp?.header,
      layout?.idHeader,
      layout?.keyIdHeader,
      ...[id, type]
        .flat()
        .flatMap((place) => (place?.startsWith("header:") ? place.slice("header:".length).split("|") : [])),
    ].flatMap((name) => name?.toLowerCase() ?? []),
  );

/** Headers that note which of them are read. */
const watched = (headers: HeaderSource) => {
  const read = new Set<string>();
  const source: HeadersLike = {
    get: (name) => {
      if (read.size < mostHeaders) read.add(name);
      // A list is passed on as it is: who reads it refuses a header that came twice.
      return (rawHeader(headers, name) ?? null) as string | null;
    },
  };
  return { source, read };
};

const tracedHeader = (headers: HeaderSource, name: string, isOpen: boolean): TracedHeader => {
  let value: string | undefined;
  try {
    value = findHeader(headers, name);
  } catch {
    // It came twice, or is too long. The refusal says so.
    return { name };
  }
  if (value === undefined) return { name };
  const shown = value.slice(0, longestValue).replace(/[^ -~]/g, "?");
  return isOpen ? { name, length: value.length, value: shown } : { name, length: value.length };
};

const lengthOf = (piece: Piece): number => (typeof piece === "string" ? utf8(piece) : piece).length;

const tracedBytes = async (pieces: readonly Piece[]): Promise<TracedBytes> => ({
  bytes: pieces.reduce((sum, piece) => sum + lengthOf(piece), 0),
  sha256: await hashHex("sha256", pieces),
});

/** The first key that made one of the signatures over the content, or over another spelling of it. */
const matchOf = async (findKeys: FindKeys, claim: Assertion, at: number): Promise<TracedKeys> => {
  const keys = await findKeys(claim.keyId, at);
  for (const signed of [claim.signed, ...(claim.alternatives?.() ?? [])]) {
    const found = await firstToHold(keys, claim.signatures, signed);
    if (found >= 0) return { tried: keys.length, named: claim.keyId, matched: found + 1, id: keys[found]?.id };
  }
  return { tried: keys.length, named: claim.keyId };
};

/** A value, or nothing if it is refused. */
const orNothing = async <Value>(work: () => Value | Promise<Value>): Promise<Value | undefined> => {
  try {
    return await work();
  } catch (thrown) {
    if (isRefusal(thrown)) return undefined;
    throw thrown;
  }
};

/** JSON as other programs write it; nothing for anything else. */
const rewritten = (text: string, indent?: number): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text), undefined, indent);
  } catch {
    return undefined;
  }
};

/** What proxies and parsers do to bodies, undone, with words for it. */
const otherBodies = (text: string): readonly (readonly [what: string, body: string | Uint8Array | undefined])[] => [
  ["without the line break at its end", /\n$/.test(text) ? text.replace(/\r?\n$/, "") : undefined],
  ["with a line break at its end", `${text}\n`],
  ["with LF in place of CRLF", text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : undefined],
  ["with CRLF in place of LF", text.includes("\n") ? text.replace(/\r?\n/g, "\r\n") : undefined],
  ["as JSON without spaces", rewritten(text)],
  ["as JSON indented by two spaces", rewritten(text, 2)],
  ["as JSON indented by four spaces", rewritten(text, 4)],
  ["decoded from base64", decodeBase64(text)],
];

/** The same address over HTTP and HTTPS. */
const otherAddress = (url: string | undefined): string | undefined =>
  url?.replace(/^http(s?):/, (_, secure: string) => (secure === "" ? "https:" : "http:"));

/** With which change the signature would hold, in words; `undefined` if with none that is tried. */
const changeOf = async (
  scheme: Scheme,
  incoming: Incoming,
  holds: (changed: Incoming) => Promise<boolean>,
): Promise<string | undefined> => {
  const url = scheme.covered.includes("url") ? otherAddress(incoming.url) : undefined;
  if (url !== undefined && (await holds({ ...incoming, url }))) return `the address ${url.split("?", 1)[0]}`;
  const text = incoming.body.length > longestRespelt ? undefined : textOf(incoming.body);
  if (text === undefined) return undefined;
  for (const [what, other] of otherBodies(text)) {
    if (other === undefined || other === text) continue;
    const body = typeof other === "string" ? utf8(other) : other;
    if (await holds({ ...incoming, body })) return `the body ${what}`;
  }
  return undefined;
};

/** What a verifier says of a request. */
const verdictOf = async (scheme: Scheme, options: VerifierOptions, request: ReceivedRequest) => {
  try {
    return { delivery: await createVerifier(scheme, options).verify(request) };
  } catch (thrown) {
    if (isRefusal(thrown)) return { refusal: thrown as WebhookVerificationError };
    throw thrown;
  }
};

/**
 * Says how a delivery is verified: what is looked at, what is signed, which key fits, and if it is
 * refused, why and what to do. It verifies the request as `createVerifier` does with the same
 * options (a `schema` is left out), and then reads it once more, so call it for deliveries that
 * somebody looks into, not for every one. For a signature that does not fit it also tries what
 * proxies and parsers do to bodies of up to 256 KiB.
 * @throws WebhookConfigError as `createVerifier`.
 */
export const traceVerification = async (
  scheme: Scheme,
  options: VerifierOptions,
  request: ReceivedRequest,
): Promise<VerificationTrace> => {
  const at = (options.now ?? Date.now)();
  const { schema: _schema, ...unchecked } = options;
  const fixed: VerifierOptions = { ...unchecked, now: () => at };
  const { delivery, refusal } = await verdictOf(scheme, fixed, request);
  const { maxBodyBytes } = createVerifier(scheme, fixed);
  const settings = checkSettings(scheme, options.settings);
  const findKeys = openKeyring(scheme, options.keys, options.allowShort);
  const incoming = await orNothing(() => readIncoming(request, maxBodyBytes, options.url, false));
  const { source, read } = watched(incoming?.headers ?? {});
  const claimsOf = async (message: Incoming) => scheme.read(message, { settings, now: at });
  const claims = incoming && (await orNothing(() => claimsOf({ ...incoming, headers: source })));
  const [claim] = claims ?? [];
  const keys = claim && (await orNothing(() => matchOf(findKeys, claim, at)));
  const change =
    incoming && refusal?.code === "signature_mismatch"
      ? await changeOf(scheme, incoming, async (message) => {
          const [other] = (await orNothing(() => claimsOf(message))) ?? [];
          return other !== undefined && (await orNothing(() => matchOf(findKeys, other, at)))?.matched !== undefined;
        })
      : undefined;
  // A time in the body is read only once the signature has been found valid.
  const late = refusal?.code.startsWith("timestamp_too_")
    ? await verdictOf(scheme, { ...fixed, toleranceSeconds: Number.POSITIVE_INFINITY }, request)
    : undefined;
  const signedAt = delivery?.timestamp ?? late?.delivery?.timestamp ?? claim?.timestamp;
  const tolerance = options.toleranceSeconds ?? scheme.toleranceSeconds ?? Number.POSITIVE_INFINITY;
  const time: TracedTime | undefined =
    signedAt === undefined
      ? undefined
      : {
          signedAt,
          skewSeconds: Math.round((at - signedAt) / 1000),
          toleranceSeconds: Number.isFinite(tolerance) ? tolerance : undefined,
        };
  const open = openHeaders(scheme);
  return {
    scheme: scheme.name,
    valid: delivery !== undefined,
    code: refusal?.code,
    message: refusal?.message,
    hint: refusal && hintOf(scheme, refusal.code, { change, time }),
    id: delivery?.id,
    type: delivery?.type,
    headers: incoming
      ? [...read].map((name) => tracedHeader(incoming.headers, name, open.has(name) || namesTime.test(name)))
      : [],
    signatures: claims?.reduce((sum, { signatures }) => sum + signatures.length, 0) ?? 0,
    covered: delivery?.covered ?? claim?.covered ?? scheme.covered,
    content: scheme.layout?.signed,
    signed: claim && claim.signed.length > 0 ? await tracedBytes(claim.signed) : undefined,
    body: incoming && (await tracedBytes([incoming.body])),
    keys,
    time,
    repeat: delivery && { ...delivery.repeat, key: delivery.dedupeKey },
  };
};

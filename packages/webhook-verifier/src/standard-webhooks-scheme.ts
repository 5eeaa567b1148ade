import { decodeBase64, encodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import { getHeader } from "./headers.ts";
import { ed25519Private, ed25519Public } from "./keys/ed25519.ts";
import { invalidKey, type KeyNotation, type KeyText } from "./keys/key.ts";
import { base64Secret } from "./keys/secret.ts";
import type { KeyMaterial } from "./platform/contract.ts";
import type { Candidate, Place, Scheme, SchemeFacts } from "./scheme.ts";
import { formatTime, parseTime } from "./timestamps.ts";

const versions = { v1: "hmac-sha256", v1a: "ed25519" } as const;
const maxCandidates = 5;

/** 24 bytes is what the specification asks of a secret at least. */
const secret = base64Secret("hmac-sha256", "whsec_", 24);

/** After `prefix`, with or without padding. */
const keyBytes = (text: string, prefix: string): Uint8Array => {
  const digits = text.slice(prefix.length);
  return (
    decodeBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, "=")) ?? invalidKey(`it is not ${prefix}<base64>.`)
  );
};

const key: KeyNotation = {
  about: "whsec_<base64> of 24 bytes or more, or a public key whpk_<base64>",
  algorithms: ["hmac-sha256", "ed25519"],
  secret: true,
  verifying: (text: KeyText): KeyMaterial => {
    if (typeof text === "string" && text.startsWith("whpk_")) return ed25519Public(keyBytes(text, "whpk_"));
    if (typeof text === "string" && text.startsWith("whsk_"))
      return invalidKey("whsk_ is the sender's private key; a receiver needs the public one, whpk_.");
    return secret.verifying(text);
  },
  signing: (text: KeyText): KeyMaterial => {
    if (typeof text === "string" && text.startsWith("whsk_")) return ed25519Private(keyBytes(text, "whsk_"));
    if (typeof text === "string" && text.startsWith("whpk_"))
      return invalidKey("whpk_ is the public key; signing needs the private one, whsk_.");
    return secret.verifying(text);
  },
};

/** The list `v1,<base64> v1a,<base64> …`: entries of other versions and broken ones are passed over. */
const readList = (value: string, header: string): readonly Candidate[] => {
  // Two headers of that name reach us joined by a comma and a space, which no list of one sender holds.
  if (value.includes(", ") || value.endsWith(","))
    refuse("header_repeated", `The header ${header} came more than once.`);
  const candidates: Candidate[] = [];
  for (const entry of value.split(" ")) {
    const comma = entry.indexOf(",");
    const version = entry.slice(0, Math.max(comma, 0));
    if (version !== "v1" && version !== "v1a") continue;
    const bytes = decodeBase64(entry.slice(comma + 1));
    if (bytes !== undefined && bytes.length > 0) candidates.push({ bytes, algorithm: versions[version] });
  }
  if (candidates.length === 0) refuse("signature_malformed", `The header ${header} holds no v1 or v1a signature.`);
  if (candidates.length > maxCandidates)
    refuse("signature_malformed", `The header ${header} has more than ${maxCandidates} signatures.`);
  return candidates;
};

// A full stop in the id would let the borders between id, time and body be moved without touching the signature.
const idPattern = /^[!-~]{1,256}$/;

/** The family of Standard Webhooks: the same in all but the names of the headers. */
export const standardWebhooksScheme = (family: {
  readonly name: string;
  /** What stands before `-id`, `-timestamp` and `-signature`. */
  readonly prefix: string;
  readonly facts: Omit<SchemeFacts, "headers" | "signed" | "encoding">;
  readonly key?: KeyNotation;
  /** Where the type stands; `body:type` unless given. */
  readonly type?: Place;
}): Scheme => {
  const [idHeader, timeHeader, signatureHeader] = [
    `${family.prefix}-id`,
    `${family.prefix}-timestamp`,
    `${family.prefix}-signature`,
  ] as const;
  return {
    name: family.name,
    facts: {
      ...family.facts,
      headers: [idHeader, timeHeader, signatureHeader],
      signed: "{id}.{timestamp}.{body}",
      encoding: "base64",
    },
    key: family.key ?? key,
    toleranceSeconds: 300,
    covered: ["id", "timestamp", "body", "type"],
    id: `header:${idHeader}`,
    type: family.type ?? "body:type",
    read: ({ headers, body }) => {
      const id = getHeader(headers, idHeader);
      if (!idPattern.test(id) || id.includes("."))
        refuse("header_malformed", `The header ${idHeader} is not an id: printable ASCII without full stops.`);
      const written = getHeader(headers, timeHeader);
      const timestamp = parseTime(written, "s");
      const signatures = readList(getHeader(headers, signatureHeader), signatureHeader);
      return [{ signatures, signed: [`${id}.${written}.`, body], timestamp, id }];
    },
    sign: async (draft, keys) => {
      const written = formatTime(draft.timestamp, "s");
      const list = await Promise.all(
        keys.map(async (signer) => {
          const signature = await signer.sign([`${draft.id}.${written}.`, draft.body]);
          return `${signer.algorithm === "ed25519" ? "v1a" : "v1"},${encodeBase64(signature)}`;
        }),
      );
      return {
        method: draft.method,
        ...(draft.url !== undefined && { url: draft.url }),
        headers: {
          ...draft.headers,
          [idHeader]: draft.id,
          [timeHeader]: written,
          [signatureHeader]: list.join(" "),
        },
        body: draft.body,
      };
    },
  };
};

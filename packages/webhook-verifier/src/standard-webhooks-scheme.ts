import { decodeBase64 } from "./base64.ts";
import { refuse } from "./errors.ts";
import { getHeader, twice } from "./headers.ts";
import { ed25519Public } from "./keys/ed25519.ts";
import { invalidKey, type KeyNotation } from "./keys/key.ts";
import { base64Secret, decodePadded } from "./keys/secret.ts";
import type { Algorithm, Candidate } from "./platform/contract.ts";
import type { Location, Presence, Scheme } from "./scheme.ts";
import { bounded } from "./signature-header.ts";
import { parseTime } from "./timestamps.ts";

/** The specification requires at least 24 bytes of a secret. */
const secret = base64Secret("hmac-sha256", "whsec_", 24);

const key: KeyNotation = {
  about: "whsec_<base64> of 24 bytes or more, or a public key whpk_<base64>",
  algorithms: ["hmac-sha256", "ed25519"],
  secret: true,
  signing: { prefix: "whsk_", algorithms: ["ed25519"] },
  verifying: (written) => {
    // Supabase shows its secrets with the version in front of them.
    const text = typeof written === "string" ? written.replace(/^v1,(?=whsec_)/, "") : written;
    if (typeof text !== "string" || !/^wh[ps]k_/.test(text)) return secret.verifying(text);
    if (text.startsWith("whsk_"))
      invalidKey("whsk_ is the sender's private key; a receiver needs the public one, whpk_.");
    return ed25519Public(decodePadded(text.slice(5)) ?? invalidKey("it is not whpk_<base64>."));
  },
};

/** Makes the signatures of a version; `undefined` for versions that are not read. */
const algorithmOf = (version: string): Algorithm | undefined =>
  version === "v1" ? "hmac-sha256" : version === "v1a" ? "ed25519" : undefined;

/**
 * Reads the list `v1,<base64> v1a,<base64> …`. Entries of other versions and broken ones are
 * ignored.
 */
const readList = (value: string, header: string): readonly Candidate[] => {
  // Two headers of this name arrive joined by a comma and a space, which no list of one sender
  // contains.
  if (value.includes(", ") || value.endsWith(",")) twice(header);
  const candidates: Candidate[] = [];
  for (let from = 0; from < value.length; ) {
    const space = value.indexOf(" ", from);
    const end = space < 0 ? value.length : space;
    const comma = value.indexOf(",", from);
    const algorithm = algorithmOf(value.slice(from, Math.max(from, comma)));
    const bytes = decodeBase64(value.slice(comma + 1, end));
    if (algorithm !== undefined && bytes?.length) candidates.push({ bytes, algorithm });
    from = end + 1;
  }
  return bounded(candidates, header, "v1 or v1a");
};

// With a full stop in the id, an attacker could move the borders between id, time and body without
// a change of the signature.
const idPattern = /^[!-\-/-~]{1,256}$/;

/**
 * Makes a scheme of the Standard Webhooks family. Its schemes differ only in the names of the
 * headers.
 */
export const standardWebhooksScheme = (family: {
  readonly name: string;
  /** The text before `-id`, `-timestamp` and `-signature`. */
  readonly prefix: string;
  /** The header of the id. Default: `<prefix>-id`. */
  readonly idHeader?: string;
  readonly title: string;
  readonly key?: KeyNotation;
  /** The place of the type. Default: `body:type`. */
  readonly type?: Location;
  /** Whether each event has a type. Each has an id. */
  readonly promisesType: Presence;
  /** The place of the data. Default: the whole body. */
  readonly data?: string;
  /** Default: the id, which the signature covers. */
  readonly repeats?: Scheme["repeats"];
  readonly headers?: Scheme["headers"];
  /** Places beside the header of the signature. */
  readonly credentials?: Scheme["credentials"];
}): Scheme => {
  const [idHeader, timeHeader, signatureHeader] = [
    family.idHeader ?? `${family.prefix}-id`,
    `${family.prefix}-timestamp`,
    `${family.prefix}-signature`,
  ] as const;
  return {
    name: family.name,
    title: family.title,
    key: family.key ?? key,
    toleranceSeconds: 300,
    covered: ["id", "timestamp", "body", "type"],
    headers: family.headers,
    credentials: [`header:${signatureHeader}`, ...(family.credentials ?? [])],
    id: `header:${idHeader}`,
    type: family.type ?? "body:type",
    promises: { id: "promised", type: family.promisesType },
    data: family.data,
    repeats: family.repeats ?? [{ by: "signed-id" }],
    read: ({ headers, body }) => {
      const id = getHeader(headers, idHeader);
      if (!idPattern.test(id))
        refuse("header_malformed", `${idHeader} is not an id: printable ASCII without full stops.`);
      const written = getHeader(headers, timeHeader);
      const timestamp = parseTime(written, "s");
      const signatures = readList(getHeader(headers, signatureHeader), signatureHeader);
      return [{ signatures, signed: [`${id}.${written}.`, body], timestamp, id }];
    },
    sign: "standard-webhooks",
  };
};

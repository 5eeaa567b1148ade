import type { WebhookErrorCode } from "./errors.ts";
import type { Scheme } from "./scheme.ts";

/** What is known of a refusal beside its code. */
interface Known {
  /** With which change the signature would hold. */
  readonly change: string | undefined;
  readonly time: { readonly skewSeconds: number } | undefined;
}

/** Two of a unit is the point from which the larger unit is told. */
const spanOf = (seconds: number): string => {
  const [count, unit] =
    seconds < 120
      ? [seconds, "s"]
      : seconds < 7_200
        ? [seconds / 60, "min"]
        : seconds < 172_800
          ? [seconds / 3_600, "h"]
          : [seconds / 86_400, "days"];
  return `${Math.round(count)} ${unit}`;
};

const ofTime = ({ time }: Known): string => {
  if (time === undefined)
    return "A clock is wrong, or the request was kept back: set this machine's clock by a time server.";
  const span = spanOf(Math.abs(time.skewSeconds));
  return time.skewSeconds > 0
    ? `It was signed ${span} before it came: this machine's clock is ${span} fast, or something kept the request back, or somebody sends an old one again.`
    : `It was signed ${span} after it came: this machine's clock is ${span} slow, or the sender's is fast. Set it by a time server.`;
};

const ofMismatch = (_: Scheme, { change }: Known): string =>
  change === undefined
    ? "Either the key is another one (of another endpoint, or from before a rotation), or the body differs from what was signed: compare the SHA-256 of the body with that of the bytes that the sender sent."
    : `The key is right: the signature fits ${change}, so a proxy or a parser changed the request. Pass on what arrived, unchanged.`;

const signing = ({ title }: Scheme): string =>
  `Make sure that ${title} calls this address, and that no proxy changes the header.`;

type Hint = string | ((scheme: Scheme, known: Known) => string);

const otherWay = "The sender signs in another way than its scheme says: look for a change in its documentation.";
const otherKeys = "Give the keys that the sender shows now. Keys of another endpoint or of its test mode are others.";

const hints: Readonly<Record<WebhookErrorCode, Hint>> = {
  header_missing: ({ title }) =>
    `Give ${title} the secret, so that it signs, and make sure that no proxy removes the header.`,
  header_repeated: "Something on the way sends the header a second time: look at the proxies in front of this server.",
  header_malformed: signing,
  signature_missing: ({ title }) => `Give ${title} the secret, so that it signs.`,
  signature_malformed: signing,
  signature_mismatch: ofMismatch,
  timestamp_malformed: signing,
  timestamp_too_old: (_, known) => ofTime(known),
  timestamp_too_new: (_, known) => ofTime(known),
  body_not_raw: "Pass on the bytes that arrived: a body parser in front has read them.",
  body_too_large: "The sender sends less than this. If it does send so much, raise the longest body that is accepted.",
  body_malformed: signing,
  digest_mismatch: "The body differs from what was signed: a proxy or a parser changed it. Pass on what arrived.",
  request_incomplete: "Give the method and the address as the sender called them.",
  key_unknown: otherKeys,
  key_url_refused: "Only the sender's own addresses are asked for keys. If it has moved, a later version knows where.",
  key_unavailable: "The keys could not be fetched: check that this machine reaches the sender. The sender tries again.",
  certificate_invalid: "The certificate is not the sender's, or it has expired: check this machine's clock.",
  component_unsupported: otherWay,
  claim_mismatch: "Compare the provider's settings (audience, issuer, topic, components) with those at the sender.",
  payload_invalid:
    "It is authentic, and its payload does not fit your schema: the sender has changed it, or the schema is too narrow.",
};

/** What to do about a refusal, in a sentence or two. */
export const hintOf = (scheme: Scheme, code: WebhookErrorCode, known: Known): string => {
  const hint = hints[code];
  return typeof hint === "string" ? hint : hint(scheme, known);
};

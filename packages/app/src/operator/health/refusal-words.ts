import type { WebhookVerificationError } from "@postern/webhook-verifier";

type RefusalCode = WebhookVerificationError["code"];

/** Why deliveries are refused, as the end of a sentence. */
const words: Readonly<Record<RefusalCode, string>> = {
  header_missing: "the header with the signature is missing",
  header_repeated: "a header comes twice",
  header_malformed: "a header is not written as its scheme says",
  signature_missing: "there is no signature",
  signature_malformed: "the signature cannot be read",
  signature_mismatch: "the signature does not match",
  timestamp_malformed: "the signed time cannot be read",
  timestamp_too_old: "the signed time is too old",
  timestamp_too_new: "the signed time is in the future",
  body_not_raw: "the body is not the bytes that were sent",
  body_too_large: "the body is longer than any delivery of this sender",
  body_malformed: "the signed fields are missing in the body",
  digest_mismatch: "the body is not the one that was signed",
  request_incomplete: "a part of the request that is signed was not given",
  key_unknown: "the key that it names is not known here",
  key_url_refused: "the key's address is not the sender's",
  key_unavailable: "its keys cannot be fetched",
  certificate_invalid: "the certificate is not valid",
  component_unsupported: "the signature covers something that no such message has",
  claim_mismatch: "a signed statement is not what was expected",
  payload_invalid: "the payload does not fit its schema",
};

export const refusalWords = (reason: string): string =>
  // A later version may have stored a code that this one does not know.
  words[reason as RefusalCode] ?? `the verifier says ${reason}`;

/** A delivery without a signature: its sender does not sign at all. */
export const isUnsigned = (reason: string): boolean => reason === "header_missing" || reason === "signature_missing";

/** A wrong key is the usual cause of these. */
export const isAboutKeys = (reason: string): boolean =>
  reason === "signature_mismatch" || reason === "key_unknown" || reason === "certificate_invalid";

/** A wrong clock is the usual cause of these. */
export const isAboutTime = (reason: string): boolean =>
  reason === "timestamp_too_old" || reason === "timestamp_too_new";

/**
 * Why a delivery was refused. The codes are permanent. The messages are for logs. A receiver
 * answers 401 to all of them, with three exceptions: `key_unavailable`, which says nothing about
 * the delivery (503), `body_too_large` (413) and `payload_invalid` (422).
 *
 * | code | meaning |
 * |---|---|
 * | `header_missing` | a header that the scheme needs is absent or empty |
 * | `header_repeated` | a header that may occur only once occurs more often |
 * | `header_malformed` | a header is not written as the scheme says |
 * | `signature_missing` | the signature inside the body, or the label that the scheme reads, is absent |
 * | `signature_malformed` | no signature could be decoded, or there are more than five |
 * | `signature_mismatch` | no signature is right under any key |
 * | `timestamp_malformed` | the time is not written as the scheme says |
 * | `timestamp_too_old` / `timestamp_too_new` | authentic, but outside the window |
 * | `body_not_raw` | the body is missing, was read before, or is an object instead of the bytes that arrived |
 * | `body_too_large` | more than `maxBodyBytes`, than 1,000 form fields, or than 20,000 members in JSON that is read before it is proved |
 * | `body_malformed` | the scheme signs inside the body, and the fields are missing |
 * | `digest_mismatch` | the signature is valid, but the body is not the one whose digest it covers |
 * | `request_incomplete` | the signature covers a part that you did not give: the method, the URL, for RFC 9421 trailers or the request of a response |
 * | `key_unknown` | no key has the key id of the message, or none that is valid now |
 * | `key_url_refused` | the message names a key address that is not the sender's |
 * | `key_unavailable` | keys could not be fetched |
 * | `certificate_invalid` | the certificate chain is not valid |
 * | `component_unsupported` | the signature covers something that no such message has |
 * | `payload_invalid` | authentic, but the payload does not fit your `schema`; the cause is the schema's list of issues |
 * | `claim_mismatch` | a signed statement is not what was expected: audience, issuer, topic, components … |
 */
export type WebhookErrorCode =
  | "header_missing"
  | "header_repeated"
  | "header_malformed"
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch"
  | "timestamp_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "body_not_raw"
  | "body_too_large"
  | "body_malformed"
  | "digest_mismatch"
  | "request_incomplete"
  | "key_unknown"
  | "key_url_refused"
  | "key_unavailable"
  | "certificate_invalid"
  | "component_unsupported"
  | "claim_mismatch"
  | "payload_invalid";

/**
 * A delivery that cannot be trusted. `message` names the likely mistake, and never contains a
 * secret or text of the body.
 */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  /** Stable, for programs. */
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A key or setting that can never work. It is thrown when a verifier is made, so that a wrong
 * configuration stops the start.
 */
export class WebhookConfigError extends TypeError {
  override readonly name = "WebhookConfigError";
  /** Stable, for programs: `key_invalid`, `key_missing`, `setting_invalid`, `scheme_unknown`. */
  readonly code: "key_invalid" | "key_missing" | "setting_invalid" | "scheme_unknown";

  constructor(code: WebhookConfigError["code"], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Throws a `WebhookVerificationError`. It is an expression, so that it can follow `??`. */
export const refuse = (code: WebhookErrorCode, message: string, cause?: unknown): never => {
  throw new WebhookVerificationError(code, message, cause ? { cause } : undefined);
};

/** Throws a `WebhookConfigError`. */
export const misconfigured = (code: WebhookConfigError["code"], message: string, cause?: unknown): never => {
  throw new WebhookConfigError(code, message, cause ? { cause } : undefined);
};

/**
 * Verify and sign webhooks from any sender, on any runtime. It imports no scheme: `./schemes` has the
 * table of all, `./schemes/<name>` has one.
 * @packageDocumentation
 */

export type { HandleDelivery } from "./answer-webhook.ts";
export { base64, base64url } from "./base64.ts";
export type { Dedupe } from "./dedupe.ts";
export { defineScheme } from "./define-scheme.ts";
export type { Delivery } from "./delivery.ts";
export { WebhookConfigError, type WebhookErrorCode, WebhookVerificationError } from "./errors.ts";
export { handleLambdaWebhook, type LambdaEvent } from "./handle-lambda-webhook.ts";
export { handleNodeWebhook, type NodeRequest, type NodeResponse } from "./handle-node-webhook.ts";
export { handleWebhook } from "./handle-webhook.ts";
export { hex } from "./hex.ts";
export { hmac } from "./hmac.ts";
export { type Identified, type Repeat, sha256Hex, sha256HexSoon } from "./identity.ts";
export type { Key } from "./keys/key.ts";
export { keyLookup } from "./keys/key-lookup.ts";
export { jwks } from "./keys/key-set.ts";
export type { Keys } from "./keys/keyring.ts";
export { publicKey } from "./keys/public.ts";
export { base64Secret, hexSecret, textSecret } from "./keys/secret.ts";
export type { PayloadSchema } from "./payload-schema.ts";
export { plainText } from "./plain-text.ts";
export type { Algorithm, Candidate } from "./platform/contract.ts";
export type { RequestLike, WebhookRequest } from "./request.ts";
export type {
  Covered,
  Credential,
  Fetch,
  HandshakeAnswer,
  KeySource,
  Location,
  RepeatRule,
  Scheme,
  SenderAnswer,
  Settings,
  SignedRequest,
  SigningKey,
} from "./scheme.ts";
export { checkSigningKeys, type SignInput, sign, signRequest, signResponse } from "./sign.ts";
export { traceVerification, type VerificationTrace } from "./trace.ts";
export { createVerifier, type Verifier, type VerifierOptions } from "./verify.ts";

/**
 * Everything except the table of all schemes: `createVerifier` and the rest. It imports in a
 * quarter of the time that the main entry takes.
 * @packageDocumentation
 */

import { outlinedDeliveryOf } from "./outlined-delivery.ts";
import type { Scheme } from "./scheme.ts";
import { createVerifier as createPlainVerifier, type Verifier, type VerifierOptions } from "./verify.ts";

export type { HandleDelivery, HandlerOptions } from "./answer-webhook.ts";
export { base64, base64url } from "./base64.ts";
export type { Dedupe } from "./dedupe.ts";
export { defineScheme } from "./define-scheme.ts";
export type { Delivery, DeliveryItem } from "./delivery.ts";
export { sha256Hex, sha256HexSoon } from "./digest.ts";
export type { Encoding } from "./encoding.ts";
export { WebhookConfigError, type WebhookErrorCode, WebhookVerificationError } from "./errors.ts";
export { handleLambdaWebhook, type LambdaAnswer, type LambdaEvent } from "./handle-lambda-webhook.ts";
export {
  handleNodeWebhook,
  type NodeHandlerOptions,
  type NodeRequest,
  type NodeResponse,
} from "./handle-node-webhook.ts";
export { handleWebhook, type WebRequest, type WebResponse } from "./handle-webhook.ts";
export type { HeaderSource, HeadersLike } from "./headers.ts";
export { hex } from "./hex.ts";
export { type HmacOptions, hmac } from "./hmac.ts";
export type { Identified, Repeat } from "./identity.ts";
export type { CertificateOptions } from "./keys/certificate-source.ts";
export type { Jwk, Key, KeyNotation, KeyText } from "./keys/key.ts";
export { type KeyLookupOptions, keyLookup } from "./keys/key-lookup.ts";
export { jwks, type KeySetOptions } from "./keys/key-set.ts";
export type { GivenKeys, Keys } from "./keys/keyring.ts";
export { publicKey } from "./keys/public.ts";
export { base64Secret, hexSecret, textSecret } from "./keys/secret.ts";
export type { PayloadSchema } from "./payload-schema.ts";
export { plainText } from "./plain-text.ts";
export type {
  Algorithm,
  Candidate,
  Piece,
  PrivateKey,
  SecretKey,
  VerifyingKey,
} from "./platform/contract.ts";
export type { ByteStream, ReceivedRequest, RequestHead, RequestLike, WebhookRequest } from "./request.ts";
export type { OwnBytes } from "./runtime.ts";
export type {
  Assertion,
  Confidence,
  Confirmed,
  Covered,
  Draft,
  Fetch,
  FoundItem,
  HandshakeAnswer,
  HandshakeTools,
  KeySource,
  Location,
  Reading,
  RepeatRule,
  Scheme,
  SchemeFacts,
  SchemeLayout,
  SenderAnswer,
  SenderMetadata,
  SettingFacts,
  Settings,
  Signal,
  SignedRequest,
  SignedResponse,
  SigningKey,
} from "./scheme.ts";
export { checkSigningKeys, type SignInput, type SignResponseInput, sign, signRequest, signResponse } from "./sign.ts";
export type { SignatureLayout } from "./signature-header.ts";
export type { TimeUnit } from "./timestamps.ts";
export type { Verifier, VerifierOptions } from "./verify.ts";

/**
 * Creates a verifier for one sender. On Node, its deliveries find id and type without parsing the
 * body.
 * @throws WebhookConfigError as `createVerifier` of the main entry.
 */
export const createVerifier = <Payload = unknown>(
  scheme: Scheme,
  options: VerifierOptions<Payload>,
): Verifier<Payload> => createPlainVerifier(scheme, options, outlinedDeliveryOf);

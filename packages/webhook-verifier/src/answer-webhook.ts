import type { Delivery } from "./delivery.ts";
import { refuse, WebhookVerificationError } from "./errors.ts";
import type { RequestLike, WebhookRequest } from "./request.ts";
import type { MaybePromise } from "./runtime.ts";
import type { HandshakeAnswer } from "./scheme.ts";
import type { Verifier } from "./verify.ts";

/** Your work: gets each authentic delivery. What it returns, if anything, is the answer; otherwise it is 200 without a body. */
export type HandleDelivery<Payload, Answer = HandshakeAnswer> = (
  delivery: Delivery<Payload>,
  // biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing can be given.
) => MaybePromise<Answer | undefined | void>;

/** What a receiver can be told besides. */
export interface HandlerOptions {
  /** Called with every refusal, for your log: the sender is told the status only. */
  readonly onRefused?: ((error: WebhookVerificationError) => void) | undefined;
  /**
   * Keeps the key that comes with a handshake (Asana); the handshake is answered when it is done. Without it such a handshake is
   * refused.
   */
  readonly onKey?: ((key: string) => MaybePromise<void>) | undefined;
}

const statuses: Readonly<Record<string, number>> = { body_too_large: 413, payload_invalid: 422, key_unavailable: 503 };

/** What a refusal is answered with: 413, 422, 503 or 401, without a body. */
export const refusalAnswer = ({ code }: WebhookVerificationError): HandshakeAnswer => ({
  status: statuses[code] ?? 401,
  headers: code === "key_unavailable" ? { "retry-after": "30" } : {},
  body: "",
});

const shakeHands = async (
  verifier: Verifier<never> | Verifier,
  request: WebhookRequest | RequestLike,
  { onKey }: HandlerOptions,
): Promise<HandshakeAnswer | undefined> => {
  const answer = await verifier.handshake(request);
  if (answer?.key === undefined) return answer;
  if (onKey === undefined) return refuse("key_unknown", "A key came with the handshake, and no `onKey` keeps it.");
  await onKey(answer.key);
  const { status, headers, body } = answer;
  return { status, headers, body };
};

/**
 * The delivery of a request, or the answer to send back at once: the sender's handshake, or a refusal. Throws only what is no
 * refusal.
 */
export const receive = async <Payload>(
  verifier: Verifier<Payload>,
  request: WebhookRequest | RequestLike,
  options: HandlerOptions,
): Promise<{ readonly delivery: Delivery<Payload> } | { readonly answer: HandshakeAnswer }> => {
  try {
    const answer = await shakeHands(verifier, request, options);
    return answer === undefined ? { delivery: await verifier.verify(request) } : { answer };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    options.onRefused?.(error);
    return { answer: refusalAnswer(error) };
  }
};

/** 200 without a body. */
export const accepted: HandshakeAnswer = { status: 200, headers: {}, body: "" };

import type { Delivery } from "./delivery.ts";
import { misconfigured, refuse, type WebhookVerificationError } from "./errors.ts";
import { isRefusal } from "./refusal.ts";
import type { RequestLike, WebhookRequest } from "./request.ts";
import type { MaybePromise } from "./runtime.ts";
import type { SenderAnswer } from "./scheme.ts";
import type { Verifier } from "./verify.ts";

/**
 * Your work. It is called with each authentic delivery. If it returns an answer, that is sent.
 * Otherwise the answer is the one that the sender needs (`answer` of the scheme), or 200 without a
 * body.
 */
export type HandleDelivery<Payload, Answer = SenderAnswer> = (
  delivery: Delivery<Payload>,
  // biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing can be given.
) => MaybePromise<Answer | undefined | void>;

/** More options of a receiver. */
export interface HandlerOptions {
  /** Called with every refusal, for your log. The sender gets only the status. */
  readonly onRefused?: ((error: WebhookVerificationError) => void) | undefined;
  /**
   * Keeps the key that comes with a handshake (Asana, Notion). The handshake is answered once this
   * is done, and refused if you give no `onKey`.
   */
  readonly onKey?: ((key: string) => MaybePromise<void>) | undefined;
}

/**
 * A caller without types can forget the handler or give a scheme in place of a verifier. Receivers
 * check this when they are made, so that the mistake stops the start and not the first delivery.
 * @throws WebhookConfigError `setting_invalid`.
 */
export const checkReceiver = (
  verifier: Partial<Pick<Verifier, "verify">> | undefined,
  handle: ((delivery: never) => unknown) | undefined,
): void => {
  if (typeof verifier?.verify !== "function" || typeof handle !== "function")
    misconfigured("setting_invalid", "Give a verifier from createVerifier, and a function that handles a delivery.");
};

const statuses: Readonly<Record<string, number>> = { body_too_large: 413, payload_invalid: 422, key_unavailable: 503 };

/** The status of the answer to a refusal: 413, 422, 503 or 401, without a body. */
export const refusalAnswer = ({ code }: WebhookVerificationError): SenderAnswer => ({
  status: statuses[code] ?? 401,
  headers: code === "key_unavailable" ? { "retry-after": "30" } : {},
  body: "",
});

const shakeHands = async (
  verifier: Verifier<never> | Verifier,
  request: WebhookRequest | RequestLike,
  { onKey }: HandlerOptions,
): Promise<SenderAnswer | undefined> => {
  const answer = await verifier.handshake(request);
  if (answer?.key === undefined) return answer;
  if (onKey === undefined) return refuse("key_unknown", "A key came with the handshake, and no `onKey` keeps it.");
  await onKey(answer.key);
  const { status, headers, body } = answer;
  return { status, headers, body };
};

/**
 * Returns the delivery of a request, or an answer to send back at once: that of a handshake, or a
 * refusal. It throws only errors other than `WebhookVerificationError`.
 */
export const receive = async <Payload>(
  verifier: Verifier<Payload>,
  request: WebhookRequest | RequestLike,
  options: HandlerOptions,
): Promise<{ readonly delivery: Delivery<Payload> } | { readonly answer: SenderAnswer }> => {
  try {
    const answer = await shakeHands(verifier, request, options);
    return answer === undefined ? { delivery: await verifier.verify(request) } : { answer };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    options.onRefused?.(error);
    return { answer: refusalAnswer(error) };
  }
};

/** 200 without a body. */
const accepted: SenderAnswer = { status: 200, headers: {}, body: "" };

/**
 * The answer when your work is done: the value that it returned if that is an answer, otherwise the
 * one that the sender needs. Arrow functions often return a value by accident, such as the new
 * length of a list.
 */
export const answerAfter = <Answer extends { readonly status: number }>(
  { scheme }: Pick<Verifier, "scheme">,
  // biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing can be given.
  returned: Answer | undefined | void,
): Answer | SenderAnswer => (typeof returned?.status === "number" ? returned : (scheme.answer ?? accepted));

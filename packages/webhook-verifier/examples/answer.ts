import {
  type Delivery,
  type HandshakeAnswer,
  type RequestLike,
  type Verifier,
  type WebhookRequest,
  WebhookVerificationError,
} from "@postern/webhook-verifier";

/**
 * The answer to one webhook request, whatever the framework: the handshake's, 200 once `handle` is done, 401 for what is not
 * authentic, 503 while the sender's keys cannot be had. What went wrong is for the log, never for the answer.
 */
export const answerWebhook = async (
  verifier: Verifier,
  request: WebhookRequest | RequestLike,
  handle: (delivery: Delivery) => Promise<void> | void,
): Promise<HandshakeAnswer> => {
  try {
    const handshake = await verifier.handshake(request);
    if (handshake !== undefined) return handshake;
    await handle(await verifier.verify(request));
    return { status: 200, headers: {}, body: "" };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { status: error.code === "key_unavailable" ? 503 : 401, headers: {}, body: "" };
  }
};

import {
  type HandleDelivery,
  handleNodeWebhook,
  type NodeRequest,
  type NodeResponse,
  type Verifier,
} from "@postern/webhook-verifier";

/**
 * Express 5: `app.all("/webhooks/stripe", webhook(verifier, handle))`, before any `express.json()`,
 * which would take the bytes that are signed. `origin` is the address that the sender calls.
 */
export const webhook = (
  verifier: Verifier,
  handle: HandleDelivery<unknown>,
): ((request: NodeRequest, response: NodeResponse, next: (error: unknown) => void) => Promise<void>) =>
  handleNodeWebhook(verifier, handle, { origin: "https://hooks.example.com" });

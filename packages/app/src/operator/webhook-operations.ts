import { type Operation, tableEntry } from "@postern/rest";
import { z } from "zod";
import type { Settings } from "../settings.ts";
import { receivedDelivery } from "./wire/webhook.ts";

const stored = {
  status: 200,
  description: "The event is stored, or was stored before. For a batch the answer has `events`.",
  body: z.union([receivedDelivery, z.object({ events: z.array(receivedDelivery) })]),
} as const;

/** Handshakes come by GET, too, and each sender wants an answer of its own form. */
const storedOrAsked = {
  status: 200,
  description:
    "The event is stored, or was stored before: the answer is that of POST. Or it is the answer that the sender wants to its handshake.",
  contentType: "*/*",
  body: z.unknown().meta({ examples: [{ id: "2051", status: "accepted" }] }),
} as const;

/**
 * The path to which senders deliver, with each method that some of them use. It is in the table for its
 * routes and its documentation. The adapter gives the raw bytes to the inbox instead of calling `handle`.
 */
export const webhookOperations = ({ webhookLimitBytes }: Pick<Settings, "webhookLimitBytes">): readonly Operation[] => {
  const deliveryBy = (method: "GET" | "POST" | "PUT", id: string, summary: string): Operation =>
    tableEntry({
      id,
      method,
      path: "/webhooks/{provider}",
      access: "public",
      summary,
      tag: "webhooks",
      body: "raw",
      rawLimitBytes: webhookLimitBytes,
      success: method === "GET" ? storedOrAsked : stored,
      errors: [
        "unknown_provider",
        "invalid_signature",
        "state_conflict",
        "unavailable",
        "overloaded",
        ...(method === "GET" ? [] : (["content_too_large", "unsupported_media_type"] as const)),
        ...(method === "POST" ? [] : (["method_not_allowed"] as const)),
      ],
      handle: () => Promise.reject(new TypeError(`${id} is answered by the inbox`)),
    });
  return [
    deliveryBy(
      "GET",
      "webhooks.receiveByGet",
      "Deliver a webhook in the query, or answer a handshake, where the sender does so by GET",
    ),
    deliveryBy("POST", "webhooks.receive", "Deliver a webhook; the signature is the credential"),
    deliveryBy("PUT", "webhooks.receiveByPut", "Deliver a webhook, where the sender does so by PUT"),
  ];
};

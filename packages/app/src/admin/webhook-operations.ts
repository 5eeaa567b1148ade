import { defineOperation, type Operation } from "@postern/rest";
import { z } from "zod";
import type { Settings } from "../settings.ts";
import { eventStates } from "./event-filters.ts";

const received = z.object({
  id: z.string().meta({ description: "The event's id here.", examples: ["2051"] }),
  status: z.enum(["accepted", "duplicate", "ignored", "quarantined"]),
  state: z.enum(eventStates).optional().meta({
    description:
      "Only for a duplicate whose event is dead. It stays `dead`, unless `replay_on_resend` of its provider runs it again.",
  }),
});

/**
 * The path to which senders deliver. It is in the table for its route and its documentation. The
 * adapter gives the raw bytes to the inbox instead of calling `handle`.
 */
export const webhookOperations = ({ webhookLimitBytes }: Pick<Settings, "webhookLimitBytes">): readonly Operation[] => [
  defineOperation({
    id: "webhooks.receive",
    method: "POST",
    path: "/webhooks/{provider}",
    access: "public",
    summary: "Deliver a webhook; the signature is the credential",
    tag: "webhooks",
    body: "raw",
    rawLimitBytes: webhookLimitBytes,
    success: {
      status: 200,
      description: "The event is stored, or was stored before. For a batch the answer has `events`.",
      body: z.union([received, z.object({ events: z.array(received) })]),
    },
    errors: [
      "unknown_provider",
      "invalid_signature",
      "content_too_large",
      "unsupported_media_type",
      "unavailable",
      "overloaded",
    ],
    handle: () => Promise.reject(new TypeError("webhooks.receive is answered by the inbox")),
  }),
];

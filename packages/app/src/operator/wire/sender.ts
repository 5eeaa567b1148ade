import { z } from "zod";
import { moment } from "./times.ts";

/** Ten years: longer than any event is kept. */
const maxWindowSeconds = 10 * 365 * 86_400;

const senderKey = z.object({
  id: z.string(),
  key_id: z.string().nullable().meta({ description: "The sender's name for the key." }),
  state: z.enum(["waiting", "good", "ended"]),
  not_before: moment,
  not_after: moment.nullable(),
});

/** What makes a delivery a repeat, in place of what the scheme says. */
export const dedupe = z.discriminatedUnion("by", [
  z.strictObject({
    by: z.literal("id"),
    id: z
      .string()
      .max(256)
      .regex(/^(header|body):./, { error: '"header:<name>" or "body:<path>"' })
      .optional()
      .meta({ description: "The place of the id. Default: where the scheme has it." }),
  }),
  z.strictObject({
    by: z.literal("body"),
    window_seconds: z
      .int()
      .min(1)
      .max(maxWindowSeconds)
      .optional()
      .meta({ description: "For how long the same body is a repeat. Default: the scheme's window, or a day." }),
    without: z
      .array(z.string().min(1).max(256))
      .max(20)
      .optional()
      .meta({ description: "What the sender changes when it tries again. Default: what the scheme says." }),
  }),
  z.strictObject({ by: z.literal("none") }),
]);

export const headersAbout =
  "Headers that are kept with its events beside those of its scheme: lower-case names, or beginnings with `*` behind them. A signature or secret is never kept, and neither are `authorization`, `proxy-authorization` and `cookie`.";

/** A sender of webhooks, as administrators see it. */
export const providerFacts = z.object({
  name: z.string(),
  scheme: z.string(),
  title: z.string().meta({ description: "The sender's name as it writes it." }),
  source: z
    .enum(["configuration", "stored"])
    .meta({ description: "Where the provider comes from. You can change providers of the configuration only there." }),
  path: z.string().meta({ description: "The path to which it delivers." }),
  tolerance_seconds: z.number().nullable(),
  allow_short: z
    .boolean()
    .nullable()
    .meta({ description: "Whether secrets under 16 bytes are accepted; null for providers of the configuration." }),
  dedupe: dedupe.nullable().meta({
    description: "What makes a delivery a repeat; null if the scheme decides, and for providers of the configuration.",
  }),
  headers: z.array(z.string()).meta({ description: headersAbout }),
  replay_on_resend: z
    .boolean()
    .meta({ description: "Whether a dead event runs again when its sender sends it again." }),
  keep_refused_bodies: z
    .boolean()
    .meta({ description: "Whether bodies of refused deliveries are kept, up to 64 KiB and for a day." }),
  jwks_url: z.string().nullable(),
  settings: z
    .array(z.string())
    .meta({ description: "The names of the settings that have a value; values are never shown." }),
  last_event_at: moment.nullable().meta({ description: "When its newest stored event was received." }),
  schema_types: z.array(z.string()).meta({ description: "The types whose payloads are checked." }),
  keys: z
    .array(senderKey)
    .meta({ description: "Never the keys themselves. Keys of the configuration are not listed." }),
});

/** Described once in documents. */
export const shownProvider = providerFacts.meta({
  id: "provider",
  examples: [
    {
      name: "acme",
      scheme: "standard-webhooks",
      title: "Standard Webhooks",
      source: "stored",
      path: "/api/webhooks/acme",
      tolerance_seconds: 300,
      allow_short: false,
      dedupe: null,
      headers: [],
      replay_on_resend: false,
      keep_refused_bodies: false,
      jwks_url: null,
      settings: [],
      last_event_at: "2026-11-21T08:30:00.120Z",
      schema_types: ["invoice.*"],
      keys: [
        {
          id: "019a5e31-4c7a-7b60-9e2d-8f1a3b5c7d9e",
          key_id: null,
          state: "good",
          not_before: "2026-11-21T08:30:00.000Z",
          not_after: null,
        },
      ],
    },
  ],
});

/** How senders sign. */
export const schemeFacts = z
  .object({
    name: z.string(),
    title: z.string().meta({ description: "The sender's name as it writes it." }),
  })
  .meta({ examples: [{ name: "standard-webhooks", title: "Standard Webhooks" }] });

export type SenderKey = z.infer<typeof senderKey>;

export type ShownProvider = z.infer<typeof shownProvider>;

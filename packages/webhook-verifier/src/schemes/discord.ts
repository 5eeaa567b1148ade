import { textOf } from "#platform";
import { emptyAnswer, jsonAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { at } from "../places.ts";

import { hour, sameBody, signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const discord: Scheme = definePlainScheme({
  name: "discord",
  title: "Discord",
  key: ed25519PublicKey(),
  signature: { header: "X-Signature-Ed25519", encoding: hex },
  signed: "{timestamp}{body}",
  timestamp: { header: "X-Signature-Timestamp", unit: "s", toleranceSeconds: 300 },
  id: "body:id",
  type: "body:event.type",
  promises: { id: "usual", type: "usual" },
  data: "event.data",
  repeats: [signedId, sameBody(hour)],
  answer: emptyAnswer(204),
  handshakes: [
    { by: "POST", type: "application/json" },
    { by: "POST", status: 204 },
  ],
  handshake: async ({ body }, { verified }) => {
    // A cheap test before the signature is checked. Both kinds of PING have a small whole number
    // there.
    if (!/"type"\s*:\s*[01]\b/.test(textOf(body) ?? "")) return undefined;
    const payload = await verified();
    const type = at(payload, "type");
    // In webhook events 0 is the PING and 1 an event; in interactions 1 is the PING.
    if (type === 0) return emptyAnswer(204, { "content-type": "application/json" });
    return type === 1 && at(payload, "event") === undefined ? jsonAnswer({ type: 1 }) : undefined;
  },
});

export const facts: SchemeFacts = {
  keyFrom: "Developer Portal, the application, General Information, Public Key (hex).",
  confidence: "confirmed",
  source: "https://docs.discord.com/developers/interactions/overview",
  handshake: 'PING (`type` 1 or 0): `{"type":1}` or 204, after the signature check',
  promises: { note: "Webhook events have no id, and interactions no text as type." },
  repeats: {
    source: "https://github.com/discord/discord-api-docs/blob/main/developers/events/webhook-events.mdx",
    note: "Webhook events have no id. They hold their time, and Discord tries again for ten minutes.",
  },
  notes: [
    "Discord names no window; five minutes is ours. Webhook events have no id.",
    "Webhook events need the answer 204 without a body, which receivers send. To an interaction your work must return the answer, as JSON.",
    "Discord sends wrong signatures on purpose and expects 401.",
  ],
};

import { textAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const twitch: Scheme = definePlainScheme({
  name: "twitch",
  title: "Twitch EventSub",
  headers: [
    "twitch-eventsub-message-retry",
    "twitch-eventsub-message-type",
    "twitch-eventsub-subscription-type",
    "twitch-eventsub-subscription-version",
  ],
  key: textSecret("hmac-sha256"),
  signature: { header: "Twitch-Eventsub-Message-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{id}{timestamp}{body}",
  timestamp: { header: "Twitch-Eventsub-Message-Timestamp", unit: "iso", toleranceSeconds: 600 },
  idHeader: "Twitch-Eventsub-Message-Id",
  type: "body:subscription.type",
  promises: { id: "promised", type: "promised" },
  data: "event",
  repeats: [signedId],
  handshakes: [{ by: "POST", type: "text/plain" }],
  handshake: async ({ headers }, { verified }) => {
    if (findHeader(headers, "twitch-eventsub-message-type") !== "webhook_callback_verification") return undefined;
    const challenge = asText(at(await verified(), "challenge"));
    return challenge === undefined ? undefined : textAnswer(challenge);
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you chose when you made the subscription (10 to 100 characters).",
  confidence: "confirmed",
  source: "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/",
  handshake: "`webhook_callback_verification`: the challenge as text, after the signature check",
  repeats: { source: "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/" },
  notes: [
    "`Twitch-Eventsub-Message-Type` (notification, revocation) is not covered; a revoked subscription says so in its `status`.",
  ],
};

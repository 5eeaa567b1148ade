import { equal } from "#platform";
import { emptyAnswer, queryOf, textAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { day, sameBody } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { FoundItem, Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * Ids of things that are reported once, or once for each status. A comment or post is reported
 * again with every edit.
 */
const idPaths = ["value.messages.0.id", "value.statuses.0.id", "message.mid", "value.leadgen_id"];

const idOf = (change: unknown): string | undefined => {
  for (const path of idPaths) {
    const id = asText(at(change, path));
    if (id === undefined) continue;
    // A message is reported several times: sent, delivered, read.
    const status = asText(at(change, "value.statuses.0.status"));
    return status === undefined ? id : `${id}:${status}`;
  }
  return undefined;
};

const items = (payload: unknown): readonly FoundItem[] =>
  list(at(payload, "entry")).flatMap((entry) =>
    [...list(at(entry, "changes")), ...list(at(entry, "messaging"))].map((change) => ({
      id: batchFree(change) ? idOf(change) : undefined,
      type: asText(at(change, "field")) ?? "messaging",
      payload: change,
    })),
  );

/**
 * Whether a change holds at most one message. Only then can that message's id identify the change.
 */
const batchFree = (change: unknown): boolean =>
  list(at(change, "value.messages")).length + list(at(change, "value.statuses")).length <= 1;

export const meta: Scheme = definePlainScheme({
  name: "meta",
  title: "Meta (Facebook, Instagram, WhatsApp)",
  credentials: ["header:x-hub-signature", "query:hub.verify_token"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Hub-Signature-256", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  type: "body:object",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(7 * day)],
  settings: { verifyToken: { about: "the verify token you typed in, for the handshake" } },
  items,
  handshakes: [
    { by: "GET", type: "text/plain" },
    { by: "GET", status: 403 },
  ],
  handshake: ({ method, url }, { settings }) => {
    if (method !== "GET" || queryOf(url, "hub.mode") !== "subscribe") return undefined;
    const token = settingOf(settings, "verifyToken");
    const right = token !== undefined && equal(utf8(queryOf(url, "hub.verify_token") ?? ""), utf8(token));
    return right ? textAnswer(queryOf(url, "hub.challenge") ?? "") : emptyAnswer(403);
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The app secret (App Dashboard, App settings, Basic).",
  confidence: "second-hand",
  source: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
  handshake: "GET `hub.challenge`: the challenge as text if `hub.verify_token` is right, else 403",
  repeats: {
    source: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
    confidence: "second-hand",
    note: "Entries hold their time. Meta tries again for 36 hours, WhatsApp for seven days.",
  },
};

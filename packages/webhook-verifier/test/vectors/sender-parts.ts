import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { iso, now, seconds, sha256, type Vector } from "./vector.ts";

/** The secret of every recorded vector below that names no other. */
export const secret = "a secret that only the two know";
export const other = "another secret of the same kind";
export const whsec = `whsec_${Buffer.from("thirty-two bytes of a secret ...").toString("base64")}`;
export const otherWhsec = `whsec_${Buffer.from("thirty-two bytes of another one.").toString("base64")}`;

/** The body of every recorded vector below that names no other. */
export const body = '{"id":"evt_1","type":"thing.made","event":"thing.made","note":"ü \\u00fc"}';

export const klaviyoBody = `{"meta":{"timestamp":"${iso}"},"data":[{"external_id":"k1","topic":"event:klaviyo.opened_email","payload":{}}]}`;

/** A sender of the Standard Webhooks family, signed by the package its own libraries stand on. */
export const standard = (prefix: "webhook" | "svix", text: string, type: string, key = whsec): Vector => ({
  from: "package",
  keys: key,
  otherKeys: otherWhsec,
  request: {
    headers: {
      [`${prefix}-id`]: "msg_1",
      [`${prefix}-timestamp`]: seconds,
      [`${prefix}-signature`]: new (prefix === "svix" ? Svix : Webhook)(key).sign("msg_1", new Date(now), text),
    },
    body: text,
  },
  expected: { id: "msg_1", type, timestamp: now, dedupeKey: "msg_1", covered: ["id", "timestamp", "body", "type"] },
  signing: { keys: key, id: "msg_1", timestamp: now },
});

/** A sender that is described by headers and body alone. */
export const sent = (
  from: Vector["from"],
  headers: Record<string, string>,
  expected: Vector["expected"],
  text = body,
  more: Partial<Vector> = {},
): Vector => ({
  from,
  keys: secret,
  otherKeys: other,
  request: { headers, body: text },
  expected: { ...expected },
  signing: {
    keys: secret,
    timestamp: now,
    ...(expected.id !== undefined && { id: expected.id }),
    ...(expected.type !== undefined && { type: expected.type }),
  },
  ...more,
});

/** The dedupe key where the same body is a repeat. `beside` is what counts besides the body. */
export const byBody = (text: string, beside = ""): string => `2:body:${sha256(`\n${beside}\n`, text)}`;

export const named = { id: "evt_1", type: "thing.made", covered: ["body", "id", "type"], dedupeKey: "evt_1" } as const;
export const typed = { type: "thing.made", covered: ["body", "type"] } as const;
export const timed = {
  id: "evt_1",
  type: "thing.made",
  timestamp: now,
  covered: ["timestamp", "body", "id", "type"],
  dedupeKey: "evt_1",
} as const;
export const timedOnly = { type: "thing.made", timestamp: now, covered: ["timestamp", "body", "type"] } as const;

export const video = '{"uid":"6b9e68b0","readyToStream":true,"status":{"state":"ready"}}';
export const alert = '{"id":"533dc19ce4b00835ff81e2eb","eventTypeName":"OUTSIDE_METRIC_THRESHOLD","status":"OPEN"}';

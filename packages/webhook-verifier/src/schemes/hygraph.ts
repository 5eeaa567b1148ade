import { textOf } from "#platform";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { parseTime } from "../timestamps.ts";

const header = "gcms-signature";
const written = /^sign=([A-Za-z0-9+/=]{1,200}), env=([\w.-]{1,100}), t=(\d{1,15})$/;

const contentOf = (body: Uint8Array, environment: string, time: number): string =>
  JSON.stringify({
    Body: textOf(body) ?? refuse("body_malformed", "The body is not UTF-8."),
    EnvironmentName: environment,
    TimeStamp: time,
  });

export const hygraph: Scheme = {
  name: "hygraph",
  title: "Hygraph",
  credentials: ["header:gcms-signature"],
  key: textSecret("hmac-sha256"),
  toleranceSeconds: 300,
  covered: ["timestamp", "body", "type"],
  type: "body:operation",
  promises: { id: "absent", type: "usual" },
  data: "data",
  repeats: [sameBody(hour)],
  read: ({ headers, body }) => {
    const [, sign = "", environment = "", time = ""] =
      written.exec(getHeader(headers, header)) ??
      refuse("header_malformed", `The header ${header} is not sign=…, env=…, t=….`);
    const bytes = decodeBase64(sign);
    if (!bytes?.length) return refuse("signature_malformed", `The signature in ${header} is not base64.`);
    const timestamp = parseTime(time, "ms");
    // A time may have only one spelling: `t=01` would be signed as 1.
    if (String(timestamp) !== time) refuse("timestamp_malformed", "The time is not written in ms.");
    return [{ signatures: [{ bytes }], signed: [contentOf(body, environment, timestamp)], timestamp }];
  },
  sign: async ({ body, timestamp }, [key]) => {
    const signature = encodeBase64(await key.sign([contentOf(body, "master", timestamp)]));
    return { headers: { [header]: `sign=${signature}, env=master, t=${timestamp}` } };
  },
};

export const facts: SchemeFacts = {
  headers: ["gcms-signature"],
  signed: "JSON with `Body`, `EnvironmentName` and `TimeStamp`",
  encoding: "base64",
  keyFrom: "The secret key you gave the webhook (32 characters or more).",
  confidence: "confirmed",
  source: "https://github.com/hygraph/hygraph-utils",
  repeats: {
    source: "https://hygraph.com/docs/api-reference/basics/webhooks",
    confidence: "second-hand",
    note: "Entries hold the time of their last change. Retries are not documented; an hour is ours.",
  },
  notes: ["Hygraph names no window; five minutes is ours."],
};

import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const timeHeader = "klaviyo-timestamp";

// `Klaviyo-Timestamp` is signed as written. The time that counts is in the body, because the header's was
// seen hours away from it.
export const klaviyo: Scheme = {
  ...definePlainScheme({
    name: "klaviyo",
    title: "Klaviyo",
    promises: { id: "usual", type: "usual" },
    headers: ["klaviyo-webhook-id"],
    key: textSecret("hmac-sha256"),
    signature: { header: "Klaviyo-Signature", encoding: hex },
    signed: `{body}{header:${timeHeader}}`,
    timestamp: { body: "meta.timestamp", unit: "iso", toleranceSeconds: 300 },
    data: "data",
    repeats: [sameBody(3 * day, ["meta.timestamp"])],
    items: itemsAt("data", { id: "external_id", type: "topic" }),
  }),
  sign: async ({ body, timestamp }, [key]) => {
    const written = new Date(timestamp).toUTCString();
    const signature = hex.encode(await key.sign([body, written]));
    return { headers: { [timeHeader]: written, "klaviyo-signature": signature } };
  },
};

export const facts: SchemeFacts = {
  headers: ["Klaviyo-Signature", "Klaviyo-Timestamp"],
  keyFrom: "The secret key that you gave when you made the webhook.",
  confidence: "confirmed",
  source: "https://developers.klaviyo.com/en/docs/working_with_system_webhooks",
  repeats: {
    source: "https://developers.klaviyo.com/en/docs/working_with_system_webhooks",
    note: "`meta.timestamp` is the time of dispatch. Each event has an `external_id`. The time of retries is not documented; three days are ours.",
  },
  notes: [
    "Webhooks of a flow (the action `Webhook`) are not signed: use `token` with a header of your own.",
    "Klaviyo names no window; five minutes is ours.",
  ],
};

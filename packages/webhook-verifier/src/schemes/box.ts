import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { refuse } from "../errors.ts";
import { findHeader } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const scheme = definePlainScheme({
  name: "box",
  title: "Box",
  key: textSecret("hmac-sha256"),
  signature: { header: ["box-signature-primary", "box-signature-secondary"], encoding: base64 },
  signed: "{body}{timestamp}",
  timestamp: { header: "box-delivery-timestamp", unit: "iso", toleranceSeconds: 600 },
  id: "body:id",
  type: "body:trigger",
  promises: { id: "promised", type: "promised" },
  data: "source",
  metadata: { deliveryId: "header:box-delivery-id" },
  repeats: [signedId],
});

/** Box's SDKs compare these as well. */
const known = { "box-signature-version": "1", "box-signature-algorithm": "HmacSHA256" } as const;

export const box: Scheme = {
  ...scheme,
  read: (request, reading) => {
    for (const [name, expected] of Object.entries(known))
      if ((findHeader(request.headers, name) ?? expected) !== expected)
        refuse("header_malformed", `${name} is not ${expected}.`);
    return scheme.read(request, reading);
  },
};

export const facts: SchemeFacts = {
  keyFrom: "Developer Console, the app, Webhooks, Manage Signature Keys: primary and secondary key.",
  confidence: "confirmed",
  source: "https://developer.box.com/guides/webhooks/v2/signatures-v2/",
  repeats: {
    source: "https://github.com/box/developer.box.com/blob/main/content/guides/webhooks/v2/index.md",
    note: "`BOX-DELIVERY-ID` is another one for each attempt. The body's id stays.",
  },
  notes: [
    "Where `box-signature-version` and `box-signature-algorithm` are there, they must be `1` and `HmacSHA256`.",
    "There are two keys, so that you can replace one while the other works. Either header is enough.",
  ],
};

import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const salesforceMarketingCloud: Scheme = definePlainScheme({
  name: "salesforce-marketing-cloud",
  title: "Salesforce Marketing Cloud",
  promises: { id: "absent", type: "usual" },
  key: textSecret("hmac-sha256"),
  signature: { header: "x-sfmc-ens-signature", encoding: base64 },
  signed: "{body}",
  repeats: [sameBody(8 * day)],
  items: itemsAt(undefined, { type: "eventCategoryType" }),
});

export const facts: SchemeFacts = {
  keyFrom: "The `signatureKey` in the answer to making the callback; it is shown once. Its text is the key, undecoded.",
  confidence: "confirmed",
  source: "https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/ens-notification-signing.html",
  repeats: {
    source: "https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/ens-supported-events.html",
    confidence: "second-hand",
    note: "No event has an id of its own. Events hold the time at which they happened; those of a list are told apart by their places. Marketing Cloud tries again for seven days.",
  },
  notes: [
    "While you make the callback, Marketing Cloud posts `callbackId` and `verificationKey`, unsigned, and needs 200. Only you can give the key back (`POST /platform/v1/ens-verify`), so let a page of your own take that one call, and lead the address to Postern after it. An unsigned call is refused here.",
    "That the key's text is used as it is, is known from other people's code.",
  ],
};

import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const checkoutCom: Scheme = definePlainScheme({
  name: "checkout-com",
  title: "Checkout.com",
  key: textSecret("hmac-sha256"),
  signature: { header: "Cko-Signature", encoding: hex },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "The signature key of the workflow's webhook action.",
  confidence: "confirmed",
  source: "https://www.checkout.com/docs/workflows",
  repeats: {
    source: "https://www.checkout.com/docs/developer-resources/webhooks/manage-webhooks",
    confidence: "second-hand",
  },
};

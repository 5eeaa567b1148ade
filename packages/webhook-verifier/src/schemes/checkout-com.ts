import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Checkout.com signs the body with HMAC-SHA256 and sends `Cko-Signature: <hex>`. No time is signed.
 * @see https://www.checkout.com/docs/workflows
 */
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

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The signature key of the workflow's webhook action.",
  confidence: "confirmed",
  source: "https://www.checkout.com/docs/workflows",
  repeats: {
    source: "https://www.checkout.com/docs/developer-resources/webhooks/manage-webhooks",
    confidence: "second-hand",
  },
};

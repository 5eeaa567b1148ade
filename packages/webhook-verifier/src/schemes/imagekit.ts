import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const imagekit: Scheme = definePairsScheme({
  name: "imagekit",
  title: "ImageKit",
  key: textSecret("hmac-sha256"),
  signature: { header: "x-ik-signature", encoding: hex, pairs: { separator: ",", timestamp: "t", signature: "v1" } },
  signed: "{timestamp}.{body}",
  timestamp: { unit: "ms", toleranceSeconds: 300 },
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "ImageKit dashboard, Developer options, Webhooks, the endpoint's secret.",
  confidence: "confirmed",
  source: "https://imagekit.io/docs/webhooks",
  repeats: { source: "https://imagekit.io/docs/webhooks" },
  notes: ["ImageKit names no window; five minutes is ours.", "The secret is used as text, `whsec_` included."],
};

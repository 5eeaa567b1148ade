import { hash } from "#platform";
import { base64, encodeBase64 } from "../base64.ts";
import { definePairsScheme } from "../define-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import { after } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const single = definePairsScheme({
  name: "bridge",
  title: "Bridge",
  key: rsaPublicKey("rsa-sha256"),
  signature: {
    header: "X-Webhook-Signature",
    encoding: base64,
    pairs: { separator: ",", timestamp: "t", signature: "v0" },
  },
  signed: "{timestamp}.{body}",
  timestamp: { unit: "ms", toleranceSeconds: 600 },
  id: "body:event_id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
  data: "event_object",
  metadata: { apiVersion: "body:api_version" },
});

export const bridge: Scheme = {
  ...single,
  read: (request, reading) =>
    after(single.read(request, reading), ([claim]) =>
      // The layout makes exactly one claim.
      claim === undefined ? [] : after(hash("sha256", claim.signed), (digest) => [{ ...claim, signed: [digest] }]),
    ),
  sign: async ({ body, timestamp }, [key]) => {
    const signature = encodeBase64(await key.sign([await hash("sha256", [`${timestamp}.`, body])]));
    return { headers: { "x-webhook-signature": `t=${timestamp},v0=${signature}` } };
  },
};

export const facts: SchemeFacts = {
  signed: "SHA-256 of {timestamp}.{body}",
  keyFrom: "The `public_key` (PEM) in the answer that made the webhook; every endpoint has its own.",
  confidence: "confirmed",
  source: "https://apidocs.bridge.xyz/platform/additional-information/webhooks/signature",
  repeats: { source: "https://apidocs.bridge.xyz/docs/setting-up-webhooks" },
};

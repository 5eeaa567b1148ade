import { definePairsScheme } from "../define-scheme.ts";
import { refuse } from "../errors.ts";
import { getHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const single = definePairsScheme({
  name: "persona",
  title: "Persona",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Persona-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  id: "body:data.id",
  type: "body:data.attributes.name",
  promises: { id: "promised", type: "promised" },
  data: "data.attributes.payload",
  repeats: [signedId],
});

export const persona: Scheme = {
  ...single,
  read: async (request, reading) => {
    const [one = "", two, ...more] = getHeader(request.headers, "persona-signature").split(" ");
    if (two === undefined) return single.read(request, reading);
    if (more.length > 0 || one.endsWith(",") || two === "")
      return refuse("signature_malformed", "Persona-Signature holds more than two pairs.");
    const claimsOf = (pair: string) => single.read({ ...request, headers: { "persona-signature": pair } }, reading);
    const [[first], [second]] = await Promise.all([claimsOf(one), claimsOf(two)]);
    // Both signatures are for the same time, so one claim has both of them.
    if (first === undefined || second === undefined || first.timestamp !== second.timestamp)
      return refuse("header_malformed", "The pairs in Persona-Signature are of different times.");
    return [{ ...first, signatures: [...first.signatures, ...second.signatures] }];
  },
};

export const facts: SchemeFacts = {
  keyFrom: "Persona dashboard, API, Webhooks, the webhook's secret.",
  confidence: "second-hand",
  source: "https://docs.withpersona.com/webhooks-best-practices#checking-signatures",
  repeats: { source: "https://docs.withpersona.com/webhooks-best-practices", confidence: "second-hand" },
  notes: [
    "Persona names no window; five minutes is ours.",
    "While a secret is rotated, a second pair follows after a space.",
  ],
};

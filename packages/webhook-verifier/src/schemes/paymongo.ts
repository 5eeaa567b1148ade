import { definePairsScheme, type PairedLayout } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

const layout = (signature: "li" | "te"): PairedLayout => ({
  name: "paymongo",
  title: "PayMongo",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Paymongo-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  id: "body:data.id",
  type: "body:data.attributes.type",
  promises: { id: "promised", type: "promised" },
  data: "data.attributes.data",
  repeats: [signedId],
  settings: { mode: { about: "`test` for a webhook of test mode, whose signatures stand in `te`; live otherwise" } },
});

const test = definePairsScheme(layout("te"));
const live = definePairsScheme(layout("li"));

export const paymongo: Scheme = {
  ...live,
  read: (request, reading) => (settingOf(reading.settings, "mode") === "test" ? test : live).read(request, reading),
};

export const facts: SchemeFacts = {
  keyFrom: "The webhook's `secret_key`, in the answer to making it.",
  confidence: "confirmed",
  source: "https://developers.paymongo.com/docs/securing-webhook",
  repeats: { source: "https://developers.paymongo.com/docs/webhooks", confidence: "second-hand" },
  notes: [
    "PayMongo names no window; five minutes is ours.",
    "Live events are signed in `li`, test events in `te`. The setting `mode` says which one counts, so that a test event never passes for a live one.",
  ],
};

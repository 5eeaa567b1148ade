import { emptyAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { findHeader } from "../headers.ts";
import { hex } from "../hex.ts";
import { shortJson } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";

export const notion: Scheme = definePlainScheme({
  name: "notion",
  title: "Notion",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Notion-Signature", encoding: hex, prefix: "sha256=" },
  signed: "{body}",
  id: "body:id",
  type: "body:type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  metadata: { attempt: "body:attempt_number", apiVersion: "body:api_version" },
  repeats: [signedId],
  settings: {
    acceptSecret: { about: "`yes` while a subscription is being made: only then a handshake is answered" },
  },
  keyComes: "handshake",
  handshakes: [{ by: "POST" }],
  handshake: ({ headers, body }, { settings }) => {
    if (settingOf(settings, "acceptSecret") !== "yes" || findHeader(headers, "x-notion-signature") !== undefined)
      return undefined;
    const key = asText(at(shortJson(body), "verification_token"));
    return key === undefined ? undefined : { ...emptyAnswer(200), key };
  },
});

export const facts: SchemeFacts = {
  keyFrom:
    "The `verification_token` of the handshake. Type it into the integration's Webhooks tab as well: Postern's server prints it with `postern providers show-key notion`.",
  confidence: "confirmed",
  source: "https://developers.notion.com/reference/webhooks",
  handshake: "POST `verification_token`, unsigned, when a subscription is made: 200",
  repeats: { source: "https://developers.notion.com/reference/webhooks-events-delivery", confidence: "second-hand" },
  notes: [
    "Anyone can send a handshake. It is answered only while the setting `acceptSecret` is `yes`: keep the `key` of the answer, and build the verifier with it. Until then make it with `keys: []`.",
  ],
};

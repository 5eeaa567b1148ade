import { textOf } from "#platform";
import { refuse } from "../errors.ts";
import { jsonBody } from "../json.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const figma: Scheme = {
  name: "figma",
  title: "Figma",
  credentials: [],
  key: textSecret("token"),
  covered: ["sender"],
  type: "body:event_type",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(5 * hour, ["retries"])],
  read: ({ body }) => [
    {
      signatures: [
        {
          bytes: utf8(
            asText(at(jsonBody(body), "passcode")) ?? refuse("signature_missing", "The body has no passcode."),
          ),
        },
      ],
      signed: [body],
    },
  ],
  sign: async ({ body }, [key]) => {
    // Only objects can hold a passcode; `jsonBody` has refused everything that is not JSON.
    const payload = jsonBody(body) as Record<string, unknown>;
    const passcode = textOf(await key.sign([])) ?? "";
    return { body: utf8(JSON.stringify({ ...payload, passcode })) };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "nothing: the passcode itself is shown, in the body",
  encoding: "text",
  keyFrom: "The `passcode` you gave the webhook.",
  confidence: "confirmed",
  source: "https://github.com/figma/rest-api-spec/blob/main/openapi/openapi.yaml",
  promises: { source: "https://github.com/figma/rest-api-spec/blob/main/openapi/openapi.yaml" },
  repeats: {
    source: "https://developers.figma.com/docs/rest-api/webhooks-security/",
    confidence: "second-hand",
    note: "The body holds its time and counts the retries, of which the last comes after three and a half hours.",
  },
  notes: ["The passcode is part of the payload: take it out before you store or log it."],
};

import { textAnswer } from "../answers.ts";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { refuse } from "../errors.ts";
import { jsonBody } from "../json.ts";
import { hexSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { day, sameMessage, signedId } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { FoundItem, Scheme, SchemeFacts } from "../scheme.ts";

const signedFields = [
  "pspReference",
  "originalReference",
  "merchantAccountCode",
  "merchantReference",
  "amount.value",
  "amount.currency",
  "eventCode",
  "success",
] as const;

const maxItems = 100;

const itemsOf = (payload: unknown): readonly unknown[] => {
  const items = at(payload, "notificationItems");
  if (!Array.isArray(items) || items.length === 0 || items.length > maxItems)
    return refuse("body_malformed", `The body has no notificationItems, or more than ${maxItems}.`);
  return items.map((item: unknown) => at(item, "NotificationRequestItem"));
};

/**
 * A field as it is signed. An absent field is signed as an empty text. A value that is neither text
 * nor an exact number cannot have been signed.
 */
const textOfField = (value: unknown, path: string): string =>
  typeof value === "boolean" || value === ""
    ? String(value)
    : (asText(value) ??
      (value === undefined || value === null ? "" : refuse("body_malformed", `The signed field ${path} is no text.`)));

const signedText = (item: unknown): string =>
  signedFields
    .map((path) => {
      const text = textOfField(at(item, path), path);
      // Only your own reference may contain a colon. If two fields could, an attacker could move
      // the border between them.
      return path !== "merchantReference" && text.includes(":")
        ? refuse("body_malformed", `The signed field ${path} holds a colon.`)
        : text;
    })
    .join(":");

/** The fields that identify an Adyen event. All three are signed. */
const idOf = (item: unknown): string =>
  ["pspReference", "eventCode", "success"].map((path) => String(at(item, path) ?? "")).join(":");

const found = (item: unknown): FoundItem => ({
  id: idOf(item),
  type: asText(at(item, "eventCode")),
  payload: item,
});

export const adyen: Scheme = {
  name: "adyen",
  title: "Adyen",
  promises: { id: "promised", type: "promised" },
  credentials: [],
  key: hexSecret("hmac-sha256"),
  covered: ["id", "type", ...signedFields.map((field) => `field:${field}` as const)],
  // A delivery of several items has no id of its own.
  repeats: [signedId, sameMessage(8 * day)],
  items: (payload) => itemsOf(payload).map(found),
  answer: textAnswer("[accepted]"),
  read: ({ body }) =>
    itemsOf(jsonBody(body)).map((item) => {
      const signature =
        asText(at(item, "additionalData.hmacSignature")) ??
        refuse("signature_missing", "An item has no additionalData.hmacSignature.");
      const bytes = decodeBase64(signature) ?? refuse("signature_malformed", "An item's signature is not base64.");
      return {
        signatures: [{ bytes }],
        signed: [signedText(item)],
        id: idOf(item),
        type: asText(at(item, "eventCode")) ?? "",
      };
    }),
  sign: async ({ body }, [key]) => {
    const payload = jsonBody(body);
    const items = await Promise.all(
      itemsOf(payload).map(async (item) => ({
        NotificationRequestItem: {
          // `signedText` and `at` have read it as an object. Anything else has no signed text that
          // could be sent.
          ...(item as Record<string, unknown>),
          additionalData: {
            ...(at(item, "additionalData") as Record<string, unknown> | undefined),
            hmacSignature: encodeBase64(await key.sign([signedText(item)])),
          },
        },
      })),
    );
    return { body: utf8(JSON.stringify({ ...(payload as Record<string, unknown>), notificationItems: items })) };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed:
    "{field:pspReference}:{field:originalReference}:{field:merchantAccountCode}:{field:merchantReference}:{field:amount.value}:{field:amount.currency}:{field:eventCode}:{field:success}",
  encoding: "base64",
  keyFrom: "Customer Area, Developers, Webhooks, the webhook, HMAC key (hex).",
  confidence: "confirmed",
  source: "https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures",
  promises: { source: "https://docs.adyen.com/development-resources/webhooks/webhook-types" },
  repeats: {
    source: "https://docs.adyen.com/development-resources/webhooks/handle-webhook-events",
    confidence: "second-hand",
    note: "The id is made of `pspReference`, `eventCode` and `success`, as Adyen advises.",
  },
  notes: [
    "Only the eight listed fields of an item are authenticated, not the rest of it.",
    "Older webhooks need the body `[accepted]` as answer, which receivers send; for newer ones any 2xx will do.",
  ],
};

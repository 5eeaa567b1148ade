import { base64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePlainScheme, type PlainLayout } from "../define-scheme.ts";
import { hubspotItems } from "../hubspot-items.ts";
import { textSecret } from "../keys/secret.ts";
import { sameMessage } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { signLayout } from "../sign-layout.ts";

const layout: PlainLayout = {
  name: "hubspot-v3",
  title: "HubSpot v3",
  promises: { id: "usual", type: "usual" },
  queryIsPayload: true,
  parse: readContent,
  json: "usual",
  methods: ["GET"],
  credentials: ["header:x-hubspot-signature"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-HubSpot-Signature-v3", encoding: base64 },
  signed: "{method}{url}{body}{timestamp}",
  timestamp: { header: "X-HubSpot-Request-Timestamp", unit: "ms", toleranceSeconds: 300 },
  repeats: [{ by: "signed-id", id: "body:callbackId" }, sameMessage()],
  items: hubspotItems,
};

const scheme = definePlainScheme(layout);

/** The escapes HubSpot's documentation lists as undone before signing; all others stay. */
const undone = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

const asSigned = (url: string | undefined): string | undefined =>
  url?.replace(undone, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));

export const hubspotV3: Scheme = {
  ...scheme,
  read: (request, reading) => scheme.read({ ...request, url: asSigned(request.url) }, reading),
  sign: async (draft, keys) => ({
    headers: await signLayout(layout, { ...draft, url: asSigned(draft.url) }, keys),
  }),
};

export const facts: SchemeFacts = {
  keyFrom: "The app's client secret (developer account, the app, Auth).",
  confidence: "confirmed",
  source: "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",
  promises: { note: "Calls of cards and workflows have no type." },
  repeats: {
    source: "https://developers.hubspot.com/docs/api-reference/webhooks-webhooks-v3/guide",
    confidence: "second-hand",
    note: "Events are told apart by id, subject and time, and calls of workflows by `callbackId`.",
  },
  notes: ["In the signed URL HubSpot writes `: / ? @ ! $ ' ( ) * , ;` as themselves, however they were escaped."],
};

import { textOf } from "#platform";
import { queryOf, textAnswer } from "../answers.ts";
import { refuse } from "../errors.ts";
import { jsonBody } from "../json.ts";
import { type Jws, numericDate, payloadOf, readJws } from "../jws.ts";
import type { KeyNotation } from "../keys/key.ts";
import { jwks, type KeySetOptions } from "../keys/key-set.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";
import { noRepeat } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Assertion, KeySource, Scheme, SchemeFacts, Settings } from "../scheme.ts";
import { settingsOf } from "../settings.ts";

export { decryptGraphContent } from "../graph-content.ts";

const maxItems = 1000;
const maxTokens = 20;
/** How far clocks may differ when the lifetime of a token is checked. */
const leewayMs = 60_000;
/**
 * Microsoft Graph Change Tracking: the application that sends notifications. It is the same for
 * everybody.
 */
const publisher = "0bf30f3b-4a52-48df-9a82-234910c4a086";

/**
 * The keys for rich notifications: your `clientState` (several while you change it), and
 * Microsoft's key set for the tokens that come with them.
 */
export const graphKeys = (
  clientState: string | readonly string[],
  options: Pick<KeySetOptions, "fetch" | "maxAgeSeconds"> = {},
): KeySource => {
  const published = jwks("https://login.microsoftonline.com/common/discovery/v2.0/keys", options);
  const states = [clientState].flat().map((key) => ({ key, algorithm: "token" as const }));
  return { find: (keyId, now) => (keyId === undefined ? states : published.find(keyId, now)) };
};

const state = textSecret("token");
const tokenKey = rsaPublicKey("rsa-sha256");

const key: KeyNotation = {
  ...state,
  about: "your clientState as text; for rich notifications `graphKeys(clientState)`",
  algorithms: ["token", "rsa-sha256"],
  verifying: (text, algorithm) =>
    typeof text === "string" && algorithm !== "rsa-sha256" ? state.verifying(text) : tokenKey.verifying(text),
};

const notifications = (payload: unknown): readonly unknown[] => {
  const items = at(payload, "value");
  return Array.isArray(items) && items.length > 0 && items.length <= maxItems
    ? items
    : refuse("body_malformed", `The body has no list of notifications, or more than ${maxItems}.`);
};

/** The tokens of a delivery. For each encrypted item there must be a token of its tenant. */
const tokensOf = (payload: unknown): readonly Jws[] => {
  const list = at(payload, "validationTokens") ?? [];
  if (!Array.isArray(list) || list.length > maxTokens)
    return refuse("body_malformed", `validationTokens is no list, or of more than ${maxTokens}.`);
  const tokens = list.map((token: unknown) => readJws(asText(token) ?? "", "RS256"));
  const tenants = tokens.map((token) => at(payloadOf(token), "tid"));
  for (const item of notifications(payload))
    if (at(item, "encryptedContent") !== undefined && !tenants.includes(at(item, "tenantId")))
      refuse("signature_missing", "An item with content has no validation token of its tenant.");
  return tokens;
};

const checkToken = (token: Jws, settings: Settings, now: number): undefined => {
  const claims = payloadOf(token);
  const expires = numericDate(claims, "exp") ?? refuse("claim_mismatch", "The token has no exp.");
  if (now > expires + leewayMs) refuse("timestamp_too_old", "A validation token has expired.");
  if ((numericDate(claims, "nbf") ?? now) > now + leewayMs)
    refuse("timestamp_too_new", "A validation token is from the future.");
  const tenant = asText(at(claims, "tid")) ?? "";
  const tenants = settingsOf(settings, "tenants");
  if (tenants.length > 0 && !tenants.includes(tenant)) refuse("claim_mismatch", "A token is of another tenant.");
  const issuer = at(claims, "iss");
  if (issuer !== `https://login.microsoftonline.com/${tenant}/v2.0` && issuer !== `https://sts.windows.net/${tenant}/`)
    refuse("claim_mismatch", "A token is not Microsoft's.");
  if (!settingsOf(settings, "appId").includes(asText(at(claims, "aud")) ?? ""))
    refuse("claim_mismatch", "A token is meant for another application: compare it with the setting `appId`.");
  if ((at(claims, "azp") ?? at(claims, "appid")) !== publisher)
    refuse("claim_mismatch", "A token is not of the publisher of notifications.");
  return undefined;
};

export const microsoftGraph: Scheme = {
  name: "microsoft-graph",
  title: "Microsoft Graph",
  promises: { id: "usual", type: "usual" },
  credentials: ["query:validationToken"],
  key,
  covered: ["sender"],
  repeats: [noRepeat],
  settings: {
    appId: { about: "your application's id: then items with encrypted content need Microsoft's token", list: true },
    tenants: { about: "tenants whose tokens are accepted; all unless set", list: true },
  },
  items: (payload) =>
    notifications(payload).map((item) => ({
      id: asText(at(item, "id")),
      type: asText(at(item, "changeType")) ?? asText(at(item, "lifecycleEvent")),
      payload: item,
    })),
  read: ({ body }, { settings, now }) => {
    const payload = jsonBody(body);
    const items = notifications(payload).map((item, index): Assertion => {
      const shown = asText(at(item, "clientState")) ?? refuse("signature_missing", "An item has no clientState.");
      // Nothing is signed, but the bytes still distinguish deliveries.
      return { signatures: [{ bytes: utf8(shown), algorithm: "token" }], signed: index === 0 ? [body] : [] };
    });
    if (settings.appId === undefined) return items;
    const tokens = tokensOf(payload).map(
      (token): Assertion => ({
        signatures: [{ bytes: token.signature, algorithm: "rsa-sha256" }],
        signed: [`${token.headerText}.${token.payloadText}`],
        // Every retry comes with another token.
        digested: [],
        keyId: token.keyId ?? refuse("key_unknown", "A validation token names no key."),
        confirm: () => checkToken(token, settings, now),
      }),
    );
    return [...items, ...tokens];
  },
  handshakes: [
    { by: "POST", type: "text/plain" },
    { by: "GET", type: "text/plain" },
  ],
  handshake: ({ url }) => {
    const token = queryOf(url, "validationToken");
    return token === undefined ? undefined : textAnswer(token);
  },
  sign: async ({ body }, [key]) => {
    const clientState = textOf(await key.sign([]));
    const payload = jsonBody(body);
    const value = notifications(payload).map((item) => ({ ...(item as Record<string, unknown>), clientState }));
    return { body: utf8(JSON.stringify({ ...(payload as Record<string, unknown>), value })) };
  },
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "nothing: `clientState` of every item is compared with yours",
  encoding: "text",
  keyFrom: "The `clientState` you gave when you made the subscription.",
  confidence: "confirmed",
  source: "https://learn.microsoft.com/graph/change-notifications-delivery-webhooks",
  handshake: "any request with `validationToken`: the token as text",
  promises: { note: "Lifecycle notifications have no `changeType`." },
  repeats: {
    source: "https://learn.microsoft.com/en-us/graph/api/resources/changenotification",
    confidence: "second-hand",
    note: "Notifications that have an `id` are told apart by it.",
    why: "A notification need not have an id or a time: two equal ones are two changes.",
  },
  notes: [
    "Rich notifications: set `appId` and give `graphKeys(clientState)` as keys; then their `validationTokens` are checked. `decryptGraphContent` beside the scheme decrypts their content.",
    "Lifecycle notifications come the same way, with `lifecycleEvent`.",
    "All items must show the `clientState`.",
  ],
};

import { createHash, createHmac, generateKeyPairSync, sign as rawSign } from "node:crypto";
import { type SignInput, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { snsCertificates } from "@postern/webhook-verifier/schemes/aws-sns";
import { graphKeys } from "@postern/webhook-verifier/schemes/microsoft-graph";
import type { ProviderDeclaration } from "../src/settings/senders.ts";

/** A sender's handshake, as its documentation shows it. The server's origin comes before `path`. */
export interface Request {
  readonly method: string;
  /** The part of the URL after the provider's path. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Handshake {
  /** If absent, the provider is added at run time, as `stored` says. */
  readonly provider?: ProviderDeclaration;
  readonly stored?: { readonly settings?: Readonly<Record<string, string>> };
  readonly asks: () => Request | Promise<Request>;
  /** The documented answer. `headers` are those that the sender checks. */
  readonly wants: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** The handshake as another sender would make it. `refused` is the status of its answer. */
  readonly wrong: () => Request | Promise<Request>;
  readonly refused: number;
  /** An ordinary delivery. The scheme's own signing code makes it. */
  readonly delivers: Omit<SignInput, "keys"> & { readonly keys: SignInput["keys"] };
  /** The body of the answer to it. Default: JSON. */
  readonly taken?: string;
}

export const secret = "a secret that only the two know";
const feed = "https://example.com/feed";
const seconds = (): string => String(Math.floor(Date.now() / 1000));
const hmac = (encoding: "hex" | "base64", ...content: (string | Buffer)[]): string =>
  createHmac("sha256", secret)
    .update(Buffer.concat(content.map((part) => Buffer.from(part))))
    .digest(encoding);
export const json = { "content-type": "application/json" };
/** Front signs its challenge like a delivery. */
const front = (challenge: string, sent = '{"type":"sync"}'): Request => {
  const millis = String(Date.now());
  const signature = hmac("base64", `${millis}:{"type":"sync"}`);
  const signed = { "x-front-signature": signature, "x-front-request-timestamp": millis };
  return { method: "POST", headers: { ...json, ...signed, "x-front-challenge": challenge }, body: sent };
};
/** Lark proves its challenge by the token of the app. */
const lark = (token: string): Request => {
  const body = JSON.stringify({ type: "url_verification", token, challenge: "c1" });
  return { method: "POST", headers: json, body };
};
const text = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

const discordKeys = generateKeyPairSync("ed25519");
const discordKey = discordKeys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
const pem = (key: typeof discordKeys.privateKey, type: "pkcs8" | "spki" = "pkcs8"): string =>
  key.export({ format: "pem", type }).toString();
const circleKeys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const ebayKeys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const sns = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const topic = "arn:aws:sns:us-east-1:123456789012:orders";
export const snsHost = "https://sns.us-east-1.amazonaws.com";
export const snsMessage = {
  Type: "SubscriptionConfirmation",
  Token: "2336412f37fb687f5d51e6e2425a8a587",
  Message:
    "You have chosen to subscribe to the topic.\nTo confirm the subscription, visit the SubscribeURL included in this message.",
  SubscribeURL: `${snsHost}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f5d51e6e2425a8a587`,
};
const snsAsks = async (message: object): Promise<Request> => {
  const keys = { key: pem(sns.privateKey), id: `${snsHost}/SimpleNotificationService-1.pem` };
  const body = JSON.stringify(message);
  const { headers, body: signed } = await signRequest(schemes["aws-sns"], {
    keys,
    body,
    settings: { topics: [topic] },
  });
  return {
    method: "POST",
    headers: { ...headers, "x-amz-sns-message-type": "SubscriptionConfirmation" },
    body: signed,
  };
};

const slack = (body: string, key = secret): Request => {
  const at = seconds();
  const signature = createHmac("sha256", key).update(`v0:${at}:${body}`).digest("hex");
  return {
    method: "POST",
    headers: { ...json, "x-slack-request-timestamp": at, "x-slack-signature": `v0=${signature}` },
    body,
  };
};
const zoom = (body: string, sent = body): Request => {
  const at = seconds();
  return {
    method: "POST",
    headers: { ...json, "x-zm-request-timestamp": at, "x-zm-signature": `v0=${hmac("hex", `v0:${at}:${body}`)}` },
    body: sent,
  };
};
const discord = (body: string, sent = body): Request => {
  const at = seconds();
  const signature = rawSign(null, Buffer.from(at + body), discordKeys.privateKey).toString("hex");
  return {
    method: "POST",
    headers: { ...json, "x-signature-timestamp": at, "x-signature-ed25519": signature },
    body: sent,
  };
};
const twitch = (body: string, sent = body): Request => {
  const at = new Date().toISOString();
  const id = "84c1e79a-2a4b-4c13-ba0b-4312293e9308";
  return {
    method: "POST",
    headers: {
      ...json,
      "twitch-eventsub-message-id": id,
      "twitch-eventsub-message-retry": "0",
      "twitch-eventsub-message-type": "webhook_callback_verification",
      "twitch-eventsub-message-signature": `sha256=${hmac("hex", id, at, body)}`,
      "twitch-eventsub-message-timestamp": at,
    },
    body: sent,
  };
};
const twitchBody =
  '{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"id":"f1c2a387","status":"webhook_callback_verification_pending","type":"channel.follow","version":"1"}}';
const xeroBody = '{"events":[],"lastEventSequence":0,"firstEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}';
const xero = (signature: string): Request => ({
  method: "POST",
  headers: { ...json, "x-xero-signature": signature },
  body: xeroBody,
});
const zoomBody =
  '{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1654503849680,"event":"endpoint.url_validation"}';
const slackBody =
  '{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}';
const ebayEndpoint = "https://hooks.example.com/api/webhooks/ebay";
const ebayToken = "71745723-d031-455c-bfa5-f90d11b4f20a";
const get = (query: string, headers: Record<string, string> = {}): Request => ({
  method: "GET",
  query,
  headers,
});
export const hookSecret = "b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81";

export const handshakes: Readonly<Record<string, Handshake>> = {
  slack: {
    provider: { secret },
    asks: () => slack(slackBody),
    wants: { status: 200, headers: text, body: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" },
    wrong: () => slack(slackBody, "somebody else's"),
    refused: 401,
    delivers: { keys: secret, body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}' },
    taken: "",
  },
  zoom: {
    provider: { secret },
    asks: () => zoom(zoomBody),
    wants: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        plainToken: "qgg8vlvZRS6UYooatFL8Aw",
        encryptedToken: hmac("hex", "qgg8vlvZRS6UYooatFL8Aw"),
      }),
    },
    wrong: () => zoom(zoomBody, zoomBody.replace("qgg8", "QGG8")),
    refused: 401,
    delivers: { keys: secret, body: '{"event":"meeting.started","event_ts":1,"payload":{"object":{"id":"1"}}}' },
  },
  discord: {
    provider: { publicKey: discordKey },
    asks: () => discord('{"id":"1","application_id":"2","type":1,"version":1}'),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"type":1}' },
    wrong: () => discord('{"type":1}', '{"type":1 }'),
    refused: 401,
    delivers: { keys: pem(discordKeys.privateKey), body: '{"id":"3","application_id":"2","type":2,"data":{}}' },
    taken: "",
  },
  "discord-events": {
    provider: { scheme: "discord", publicKey: discordKey },
    asks: () => discord('{"version":1,"application_id":"2","type":0}'),
    wants: { status: 204, headers: { "content-type": "application/json" }, body: "" },
    wrong: () => discord('{"type":0}', '{"type":0 }'),
    refused: 401,
    delivers: {
      keys: pem(discordKeys.privateKey),
      body: '{"version":1,"application_id":"2","type":1,"event":{"type":"ENTITLEMENT_CREATE","data":{}}}',
    },
    taken: "",
  },
  "aws-sns": {
    provider: { keySource: snsCertificates(), settings: { topics: [topic] } },
    asks: () => snsAsks({ ...snsMessage, TopicArn: topic }),
    wants: { status: 200, body: "" },
    wrong: () => snsAsks({ ...snsMessage, TopicArn: "arn:aws:sns:us-east-1:666666666666:theirs" }),
    refused: 401,
    delivers: {
      keys: { key: pem(sns.privateKey), id: `${snsHost}/SimpleNotificationService-1.pem` },
      body: JSON.stringify({ Message: "hello", TopicArn: topic }),
    },
  },
  meta: {
    provider: { secret, settings: { verifyToken: "meatyhamhock" } },
    asks: () => get("?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock"),
    wants: { status: 200, headers: text, body: "1158201444" },
    wrong: () => get("?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=theirs"),
    refused: 403,
    delivers: { keys: secret, body: '{"object":"page","entry":[{"id":"1","changes":[{"field":"feed","value":{}}]}]}' },
  },
  x: {
    provider: { secret },
    asks: () => get("?crc_token=challenge_string&nonce=1"),
    wants: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ response_token: `sha256=${hmac("base64", "challenge_string")}` }),
    },
    wrong: () => get("?crc_token=one&crc_token=two"),
    refused: 405,
    delivers: { keys: secret, body: '{"for_user_id":"1","tweet_create_events":[]}' },
  },
  twitch: {
    provider: { secret },
    asks: () => twitch(twitchBody),
    wants: {
      status: 200,
      headers: { ...text, "content-length": "32" },
      body: "pogchamp-kappa-360noscope-vohiyo",
    },
    wrong: () => twitch(twitchBody, twitchBody.replace("pogchamp", "PogChamp")),
    refused: 401,
    delivers: { keys: secret, body: '{"subscription":{"type":"channel.follow"},"event":{}}' },
  },
  ebay: {
    provider: {
      publicKey: ebayKeys.publicKey.export({ format: "pem", type: "spki" }).toString(),
      settings: { verificationToken: ebayToken, endpoint: ebayEndpoint },
    },
    asks: () => get("?challenge_code=a8628072-3d33-45ee-9004-bee86830a22d"),
    wants: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        challengeResponse: createHash("sha256")
          .update(`a8628072-3d33-45ee-9004-bee86830a22d${ebayToken}${ebayEndpoint}`)
          .digest("hex"),
      }),
    },
    wrong: () => get("?challenge=a8628072-3d33-45ee-9004-bee86830a22d"),
    refused: 405,
    delivers: {
      keys: pem(ebayKeys.privateKey),
      body: '{"metadata":{"topic":"MARKETPLACE_ACCOUNT_DELETION"},"notification":{"notificationId":"n1"}}',
    },
  },
  "microsoft-graph": {
    provider: { keySource: graphKeys("the state that only we know") },
    asks: () => ({
      method: "POST",
      query: "?validationToken=Validation%3A%20Testing%20client%20application%20reachability%20for%20%3Cb%3E+1",
      headers: { "content-type": "text/plain; charset=utf-8" },
    }),
    wants: {
      status: 200,
      headers: text,
      body: "Validation: Testing client application reachability for <b> 1",
    },
    wrong: () => ({
      method: "POST",
      headers: json,
      body: '{"value":[{"clientState":"theirs","changeType":"created"}]}',
    }),
    refused: 401,
    delivers: {
      keys: "the state that only we know",
      body: '{"value":[{"id":"n1","changeType":"created","resource":"me/messages/1"}]}',
    },
  },
  cloudevents: {
    provider: { secret, settings: { allowedOrigins: ["eventemitter.example.com"] } },
    asks: () => ({
      method: "OPTIONS",
      headers: { "webhook-request-origin": "eventemitter.example.com", "webhook-request-rate": "120" },
    }),
    wants: {
      status: 200,
      headers: {
        allow: "POST",
        "webhook-allowed-origin": "eventemitter.example.com",
        "webhook-allowed-rate": "120",
      },
      body: "",
    },
    wrong: () => ({ method: "OPTIONS", headers: { "webhook-request-origin": "theirs.example.com" } }),
    refused: 403,
    delivers: { keys: secret, body: "{}", headers: { "ce-id": "1", "ce-type": "com.example.made", "ce-source": "/a" } },
  },
  asana: {
    stored: { settings: { acceptSecret: "yes" } },
    asks: () => ({ method: "POST", headers: { "x-hook-secret": hookSecret } }),
    wants: { status: 200, headers: { "x-hook-secret": hookSecret }, body: "" },
    wrong: () => ({ method: "POST", headers: { "x-hook-secret": "theirs, after ours" } }),
    refused: 401,
    delivers: { keys: hookSecret, body: '{"events":[{"action":"changed","resource":{"gid":"1"}}]}' },
  },
  notion: {
    stored: { settings: { acceptSecret: "yes" } },
    asks: () => ({ method: "POST", headers: json, body: JSON.stringify({ verification_token: hookSecret }) }),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", headers: json, body: '{"verification_token":"theirs, after ours"}' }),
    refused: 401,
    delivers: { keys: hookSecret, body: '{"id":"n1","type":"page.created"}' },
  },
  websub: {
    provider: { secret, settings: { topics: [feed] } },
    asks: () => get(`?hub.mode=subscribe&hub.topic=${encodeURIComponent(feed)}&hub.challenge=c1&hub.lease_seconds=1`),
    wants: { status: 200, headers: text, body: "c1" },
    wrong: () => get("?hub.mode=subscribe&hub.topic=https%3A%2F%2Ftheirs.example%2F&hub.challenge=c1"),
    refused: 404,
    delivers: { keys: secret, body: "<feed/>", headers: { "content-type": "application/atom+xml" } },
  },
  youtube: {
    provider: { secret, settings: { topics: [feed] } },
    asks: () => get(`?hub.mode=subscribe&hub.topic=${encodeURIComponent(feed)}&hub.challenge=c1`),
    wants: { status: 200, headers: text, body: "c1" },
    wrong: () => get("?hub.mode=subscribe&hub.topic=https%3A%2F%2Ftheirs.example%2F&hub.challenge=c1"),
    refused: 404,
    delivers: { keys: secret, body: "<feed/>", headers: { "content-type": "application/atom+xml" } },
  },
  linkedin: {
    provider: { secret },
    asks: () => get("?challengeCode=890e4665-4dfe-4ab1-b689-ed553bceeed0"),
    wants: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        challengeCode: "890e4665-4dfe-4ab1-b689-ed553bceeed0",
        challengeResponse: hmac("hex", "890e4665-4dfe-4ab1-b689-ed553bceeed0"),
      }),
    },
    wrong: () => get("?challengeCode=hmacsha256%3D%7B%7D"),
    refused: 405,
    delivers: {
      keys: secret,
      body: '{"type":"ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS","notifications":[{"action":"LIKE"}]}',
    },
  },
  mailchimp: {
    provider: { secret: "secret-of-mailchimp" },
    asks: () => get("?secret=secret-of-mailchimp"),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", query: "?secret=theirs", headers: json, body: '{"type":"subscribe"}' }),
    refused: 401,
    delivers: {
      keys: "secret-of-mailchimp",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "type=subscribe&fired_at=2026-11-29+12%3A00%3A00&data%5Bid%5D=8a25ff1d98",
    },
  },
  strava: {
    provider: { secret: "secret-of-strava", settings: { verifyToken: "v1" } },
    asks: () => get("?hub.verify_token=v1&hub.challenge=c1&hub.mode=subscribe"),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"hub.challenge":"c1"}' },
    wrong: () => get("?hub.verify_token=theirs&hub.challenge=c1&hub.mode=subscribe"),
    refused: 403,
    delivers: {
      keys: "secret-of-strava",
      body: '{"object_type":"activity","object_id":1,"aspect_type":"create","owner_id":2,"event_time":1516126040}',
    },
  },
  mandrill: {
    provider: { secret },
    asks: () => ({ method: "HEAD" }),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", headers: { "x-mandrill-signature": "dGhlaXJz" }, body: "mandrill_events=%5B%5D" }),
    refused: 401,
    delivers: {
      keys: secret,
      body: new URLSearchParams({ mandrill_events: '[{"_id":"m1","event":"open","ts":1}]' }).toString(),
    },
  },
  braintree: {
    provider: { secret, settings: { publicKey: "public_key_1" } },
    asks: () => get("?bt_challenge=20f9f8ed05f77439fe955c977e4c8a53"),
    // The answer of braintree 3.40.0 (gateway.webhookNotification.verify).
    wants: { status: 200, headers: text, body: "public_key_1|e1a42c818e0c00d7fd49cd1236094b2722110fec" },
    wrong: () => get("?bt_challenge=PG5vdGlmaWNhdGlvbj4"),
    refused: 405,
    delivers: { keys: secret, body: "<notification><kind>check</kind></notification>" },
  },
  monday: {
    provider: { secret },
    asks: () => ({ method: "POST", headers: json, body: '{"challenge":"c1"}' }),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"challenge":"c1"}' },
    wrong: () => ({ method: "POST", headers: json, body: '{"challenge":"c1","event":{"type":"create_pulse"}}' }),
    refused: 401,
    delivers: { keys: secret, body: '{"event":{"triggerUuid":"u1","type":"create_pulse"}}' },
  },
  "azure-event-grid": {
    provider: { secret },
    asks: () => ({
      method: "POST",
      headers: { ...json, "aeg-event-type": "SubscriptionValidation", authorization: `Bearer ${secret}` },
      body: '[{"id":"1","data":{"validationCode":"512d38b6"}}]',
    }),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"validationResponse":"512d38b6"}' },
    wrong: () => ({
      method: "POST",
      headers: { ...json, "aeg-event-type": "SubscriptionValidation", authorization: "Bearer theirs" },
      body: '[{"id":"1","data":{"validationCode":"512d38b6"}}]',
    }),
    refused: 401,
    delivers: { keys: secret, body: '[{"id":"g1","eventType":"Microsoft.Storage.BlobCreated","data":{}}]' },
  },
  front: {
    provider: { secret },
    asks: () => front("c1"),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"challenge":"c1"}' },
    wrong: () => front("c1", '{"type":"sync","other":1}'),
    refused: 401,
    delivers: { keys: secret, body: '{"type":"message_received","payload":{"id":"evt_1"}}' },
  },
  lark: {
    provider: { secret, settings: { verificationToken: "token of the app" } },
    asks: () => lark("token of the app"),
    wants: { status: 200, headers: { "content-type": "application/json" }, body: '{"challenge":"c1"}' },
    wrong: () => lark("token of another"),
    refused: 401,
    delivers: {
      keys: secret,
      headers: { "x-lark-request-nonce": "n1" },
      body: '{"header":{"event_id":"e1","event_type":"im.message.receive_v1"},"event":{}}',
    },
  },
  nylas: {
    provider: { secret },
    asks: () => get("?challenge=bc609b38-c81f-47fb-a275-1d9bd61be1d0"),
    wants: { status: 200, headers: text, body: "bc609b38-c81f-47fb-a275-1d9bd61be1d0" },
    wrong: () => get("?other=bc609b38"),
    refused: 405,
    delivers: { keys: secret, body: '{"id":"n1","type":"message.created"}' },
  },
  okta: {
    provider: { secret },
    asks: () => get("", { "x-okta-verification-challenge": "my verification challenge" }),
    wants: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"verification":"my verification challenge"}',
    },
    wrong: () => get(""),
    refused: 405,
    delivers: {
      keys: secret,
      body: '{"eventType":"com.okta.event_hook","data":{"events":[{"uuid":"u1","eventType":"user.lifecycle.create"}]}}',
    },
  },
  dropbox: {
    provider: { secret },
    asks: () => get("?challenge=abc123"),
    wants: { status: 200, headers: text, body: "abc123" },
    wrong: () => get("?other=abc123"),
    refused: 405,
    delivers: { keys: secret, body: '{"list_folder":{"accounts":["dbid:1"]}}' },
  },
  xero: {
    provider: { secret },
    asks: () => xero(hmac("base64", xeroBody)),
    wants: { status: 200, body: "" },
    wrong: () => xero(hmac("base64", "something else")),
    refused: 401,
    delivers: {
      keys: secret,
      body: '{"events":[{"eventCategory":"INVOICE","eventType":"UPDATE","resourceId":"1"}],"firstEventSequence":1}',
    },
    taken: "",
  },
  trello: {
    provider: { secret },
    asks: () => ({ method: "HEAD" }),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", headers: { ...json, "x-trello-webhook": "dGhlaXJz" }, body: "{}" }),
    refused: 401,
    delivers: { keys: secret, body: '{"action":{"id":"a1","type":"updateCard"}}' },
  },
  circle: {
    provider: { publicKey: pem(circleKeys.publicKey, "spki") },
    asks: () => ({ method: "HEAD" }),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", headers: { ...json, "x-circle-key-id": "k1" }, body: "{}" }),
    refused: 401,
    delivers: {
      keys: { key: pem(circleKeys.privateKey), id: "k1" },
      body: '{"notificationId":"n1","notificationType":"webhooks.test","notification":{}}',
    },
  },
  moneybird: {
    provider: { secret },
    asks: () => ({ method: "HEAD" }),
    wants: { status: 200, body: "" },
    wrong: () => ({ method: "POST", headers: { ...json, "moneybird-signature": "t=1,v1=00" }, body: "{}" }),
    refused: 401,
    delivers: { keys: secret, body: '{"action":"contact_created","entity_id":"1"}' },
  },
  woocommerce: {
    provider: { secret },
    asks: () => ({
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "webhook_id=7",
    }),
    wants: { status: 200, body: "" },
    wrong: () => ({
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "webhook_id=7&more=1",
    }),
    refused: 401,
    delivers: { keys: secret, body: '{"id":1}', headers: { "x-wc-webhook-topic": "order.created" } },
  },
};

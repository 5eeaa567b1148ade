import { sign as octokitSign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as Svix } from "svix";
import { base64, hex, iso, millis, now, seconds, type Vector } from "./vector.ts";

const secret = "a secret that only the two know";
const other = "another secret of the same kind";
const whsec = `whsec_${Buffer.from("thirty-two bytes of a secret ...").toString("base64")}`;
const otherWhsec = `whsec_${Buffer.from("thirty-two bytes of another one.").toString("base64")}`;
const hexKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
const otherHexKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00";
const url = "https://hooks.example.com/in?source=a%20b";

const body = '{"id":"evt_1","event_id":"evt_1","type":"thing.made","event":"thing.made","note":"ü \\u00fc"}';
const keys = { keys: secret, otherKeys: other } as const;

/** Senders that hash the body alone. */
const overBody = (
  headers: Record<string, string>,
  expected: Vector["expected"],
  more: Partial<Vector> = {},
  text = body,
): Vector => ({
  from: "formula",
  ...keys,
  request: { method: "POST", url, headers, body: text },
  expected: { covered: ["body"], ...expected },
  signing: {
    keys: secret,
    ...(expected.id !== undefined && { id: expected.id }),
    ...(expected.type !== undefined && { type: expected.type }),
  },
  ...more,
});

const idAndType = { id: "evt_1", type: "thing.made", covered: ["body", "id", "type"], dedupeKey: "evt_1" } as const;

export const sharedSecret: Readonly<Record<string, Vector>> = {
  "standard-webhooks": {
    from: "package",
    keys: whsec,
    otherKeys: otherWhsec,
    request: {
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": seconds,
        "webhook-signature": new Webhook(whsec).sign("msg_1", new Date(now), body),
      },
      body,
    },
    expected: {
      id: "msg_1",
      type: "thing.made",
      timestamp: now,
      dedupeKey: "msg_1",
      covered: ["id", "timestamp", "body", "type"],
    },
    signing: { keys: whsec, id: "msg_1", timestamp: now },
  },
  svix: {
    from: "package",
    keys: whsec,
    otherKeys: otherWhsec,
    request: {
      headers: {
        "svix-id": "msg_1",
        "svix-timestamp": seconds,
        "svix-signature": new Svix(whsec).sign("msg_1", new Date(now), body),
      },
      body,
    },
    expected: { id: "msg_1", type: "thing.made", timestamp: now, dedupeKey: "msg_1" },
    signing: { keys: whsec, id: "msg_1", timestamp: now },
  },
  gitlab: {
    from: "package",
    keys: whsec,
    otherKeys: otherWhsec,
    request: {
      headers: {
        "webhook-id": "f5e5f430",
        "webhook-timestamp": seconds,
        "webhook-signature": new Webhook(whsec).sign("f5e5f430", new Date(now), '{"object_kind":"push"}'),
      },
      body: '{"object_kind":"push"}',
    },
    expected: { id: "f5e5f430", type: "push", timestamp: now, dedupeKey: "f5e5f430" },
    signing: { keys: whsec, id: "f5e5f430", timestamp: now },
  },
  "gitlab-token": {
    from: "documentation",
    ...keys,
    request: {
      headers: { "x-gitlab-token": secret, "x-gitlab-event-uuid": "u1", "x-gitlab-event": "Push Hook" },
      body,
    },
    expected: { id: "u1", type: "Push Hook", covered: ["sender"] },
    signing: { keys: secret, id: "u1", type: "Push Hook" },
  },
  stripe: {
    from: "package",
    ...keys,
    request: {
      headers: {
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: now / 1000 }),
      },
      body,
    },
    expected: {
      id: "evt_1",
      type: "thing.made",
      timestamp: now,
      dedupeKey: "evt_1",
      covered: ["timestamp", "body", "id", "type"],
    },
    signing: { keys: secret, timestamp: now },
  },
  github: overBody(
    { "x-hub-signature-256": await octokitSign(secret, body), "x-github-delivery": "d1", "x-github-event": "push" },
    { id: "d1", type: "push" },
    { from: "package" },
  ),
  bitbucket: overBody(
    { "x-hub-signature": `sha256=${hex("sha256", secret, body)}`, "x-request-uuid": "u1", "x-event-key": "repo:push" },
    { id: "u1", type: "repo:push" },
  ),
  meta: overBody(
    { "x-hub-signature-256": `sha256=${hex("sha256", secret, '{"object":"page","entry":[]}')}` },
    { type: "page", covered: ["body", "type"] },
    { settings: { verifyToken: "v" }, signing: { keys: secret, settings: { verifyToken: "v" } } },
    '{"object":"page","entry":[]}',
  ),
  gitea: overBody(
    { "x-gitea-signature": hex("sha256", secret, body), "x-gitea-delivery": "d1", "x-gitea-event": "push" },
    { id: "d1", type: "push" },
  ),
  slack: {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    from: "documentation",
    keys: "8f742231b10e8888abcd99yyyzzz85a5",
    otherKeys: other,
    now: 1531420618000,
    request: {
      headers: {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
      body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    },
    expected: { timestamp: 1531420618000 },
    signing: { keys: "8f742231b10e8888abcd99yyyzzz85a5", timestamp: 1531420618000 },
  },
  zoom: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "x-zm-request-timestamp": seconds,
        "x-zm-signature": `v0=${hex("sha256", secret, `v0:${seconds}:`, body)}`,
      },
      body,
    },
    expected: { type: "thing.made", timestamp: now },
    signing: { keys: secret, timestamp: now },
  },
  shopify: overBody(
    {
      "x-shopify-hmac-sha256": base64("sha256", secret, body),
      "x-shopify-webhook-id": "w1",
      "x-shopify-topic": "orders/create",
    },
    { id: "w1", type: "orders/create" },
    { optionalHeaders: ["x-shopify-hmac-sha256", "shopify-hmac-sha256"] },
  ),
  twilio: {
    // The example of Twilio's own library tests.
    from: "documentation",
    keys: "12345",
    otherKeys: other,
    allowShort: true,
    request: {
      method: "POST",
      url: "https://mycompany.com/myapp.php?foo=1&bar=2",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
      },
      body: "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212",
    },
    expected: { covered: ["url", "body"] },
    signing: { keys: "12345", headers: { "content-type": "application/x-www-form-urlencoded" } },
    tampered: { "a field added": (request) => ({ ...request, body: `${String(request.body)}&Extra=1` }) },
  },
  "adyen-platform": {
    from: "formula",
    keys: hexKey,
    otherKeys: otherHexKey,
    request: { headers: { hmacsignature: base64("sha256", Buffer.from(hexKey, "hex"), body) }, body },
    expected: { type: "thing.made", covered: ["body", "type"] },
    signing: { keys: hexKey },
  },
  square: {
    from: "formula",
    ...keys,
    request: { url, headers: { "x-square-hmacsha256-signature": base64("sha256", secret, url, body) }, body },
    expected: { ...idAndType, covered: ["url", "body", "id", "type"] },
    signing: { keys: secret },
  },
  paddle: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "paddle-signature": `ts=${seconds};h1=${hex("sha256", secret, `${seconds}:`, '{"event_id":"evt_1","event_type":"t"}')}`,
      },
      body: '{"event_id":"evt_1","event_type":"t"}',
    },
    expected: { id: "evt_1", type: "t", timestamp: now, dedupeKey: "evt_1" },
    signing: { keys: secret, timestamp: now },
  },
  "hubspot-v1": {
    // https://developers.hubspot.com/docs/faq/v1-request-validation
    from: "documentation",
    keys: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
    otherKeys: other,
    request: {
      headers: { "x-hubspot-signature": "232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de" },
      body: '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]',
    },
    expected: { covered: ["body"] },
    signing: { keys: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy" },
  },
  "hubspot-v2": {
    // https://developers.hubspot.com/docs/faq/v2-request-validation
    from: "documentation",
    keys: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
    otherKeys: other,
    request: {
      method: "GET",
      url: "https://www.example.com/webhook_uri",
      headers: { "x-hubspot-signature": "eee2dddcc73c94d699f5e395f4b9d454a069a6855fbfa152e91e88823087200e" },
      body: "",
    },
    expected: { covered: ["method", "url", "body"] },
    signing: { keys: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy" },
  },
  "hubspot-v3": {
    from: "formula",
    ...keys,
    request: {
      method: "POST",
      url: "https://hooks.example.com/in?a=b%3Ac%20d",
      headers: {
        "x-hubspot-request-timestamp": millis,
        "x-hubspot-signature-v3": base64(
          "sha256",
          secret,
          "POST",
          "https://hooks.example.com/in?a=b:c%20d",
          body,
          millis,
        ),
      },
      body,
    },
    expected: { timestamp: now, covered: ["method", "url", "body", "timestamp"] },
    signing: { keys: secret, timestamp: now },
  },
  box: {
    // The example of Box's own library tests.
    from: "documentation",
    keys: ["SamplePrimaryKey", "SampleSecondaryKey"],
    otherKeys: other,
    now: Date.parse("2020-01-01T07:00:00Z"),
    request: {
      headers: {
        "box-delivery-id": "f96bb54b-ee16-4fc5-aa65-8c2d9e5b546f",
        "box-delivery-timestamp": "2020-01-01T00:00:00-07:00",
        "box-signature-primary": "6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=",
        "box-signature-secondary": "v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo=",
      },
      body: '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
    },
    // Deliveries of today have the event's id in the body.
    expected: { type: "FILE.UPLOADED", timestamp: Date.parse("2020-01-01T07:00:00Z") },
    resigning: { keys: ["SamplePrimaryKey", "SampleSecondaryKey"], timestamp: Date.parse("2020-01-01T07:00:00Z") },
    optionalHeaders: ["box-signature-primary", "box-signature-secondary"],
  },
  revolut: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "revolut-request-timestamp": millis,
        "revolut-signature": `v1=${hex("sha256", secret, `v1.${millis}.`, body)}`,
      },
      body,
    },
    expected: { type: "thing.made", timestamp: now },
    signing: { keys: secret, timestamp: now },
  },
  ...Object.fromEntries(
    ["hook0", "coinbase-cdp"].map((name) => [
      name,
      {
        from: "formula",
        ...keys,
        request: {
          headers: {
            "x-event-id": "e1",
            "x-event-type": "wallet.activity",
            "x-hook0-signature": `t=${seconds},h=x-event-id x-event-type,v1=${hex("sha256", secret, `${seconds}.x-event-id x-event-type.e1.wallet.activity.`, body)}`,
          },
          body,
        },
        expected: {
          id: "e1",
          type: "wallet.activity",
          timestamp: now,
          dedupeKey: "e1",
          covered: ["timestamp", "body", "header:x-event-id", "header:x-event-type", "id", "type"],
        },
        signing: { keys: secret, id: "e1", type: "wallet.activity", timestamp: now },
      } satisfies Vector,
    ]),
  ),
  "coinbase-commerce": overBody(
    { "x-cc-webhook-signature": hex("sha256", secret, '{"event":{"id":"e1","type":"charge:created"}}') },
    { id: "e1", type: "charge:created", covered: ["body", "id", "type"], dedupeKey: "e1" },
    {},
    '{"event":{"id":"e1","type":"charge:created"}}',
  ),
  linear: overBody(
    {
      "linear-signature": hex("sha256", secret, `{"type":"Issue","action":"create","webhookTimestamp":${millis}}`),
      "linear-delivery": "d1",
    },
    { id: "d1", type: "Issue.create", timestamp: now, covered: ["body", "timestamp", "type"] },
    {},
    `{"type":"Issue","action":"create","webhookTimestamp":${millis}}`,
  ),
  twitch: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "twitch-eventsub-message-id": "befa7b53-d79d-478f-86b9-120f112b044e",
        "twitch-eventsub-message-timestamp": "2026-11-21T12:00:00.123456789Z",
        "twitch-eventsub-message-signature": `sha256=${hex("sha256", secret, "befa7b53-d79d-478f-86b9-120f112b044e", "2026-11-21T12:00:00.123456789Z", '{"subscription":{"type":"stream.online"}}')}`,
      },
      body: '{"subscription":{"type":"stream.online"}}',
    },
    expected: {
      id: "befa7b53-d79d-478f-86b9-120f112b044e",
      type: "stream.online",
      timestamp: now + 123,
      dedupeKey: "befa7b53-d79d-478f-86b9-120f112b044e",
    },
    resigning: { keys: secret, timestamp: now },
  },
  workos: {
    from: "formula",
    ...keys,
    request: { headers: { "workos-signature": `t=${millis}, v1=${hex("sha256", secret, `${millis}.`, body)}` }, body },
    expected: { id: "evt_1", type: "thing.made", timestamp: now, dedupeKey: "evt_1" },
    resigning: { keys: secret, timestamp: now },
  },
  x: overBody({ "x-twitter-webhooks-signature": `sha256=${base64("sha256", secret, body)}` }, {}),
  xero: overBody({ "x-xero-signature": base64("sha256", secret, body) }, {}),
  pagerduty: overBody(
    {
      "x-pagerduty-signature": `v1=${hex("sha256", secret, '{"event":{"id":"e1","event_type":"incident.triggered"}}')}`,
    },
    { id: "e1", type: "incident.triggered", covered: ["body", "id", "type"], dedupeKey: "e1" },
    {},
    '{"event":{"id":"e1","event_type":"incident.triggered"}}',
  ),
  vercel: overBody({ "x-vercel-signature": hex("sha1", secret, body) }, idAndType),
  webflow: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "x-webflow-timestamp": millis,
        "x-webflow-signature": hex("sha256", secret, `${millis}:`, '{"triggerType":"form_submission"}'),
      },
      body: '{"triggerType":"form_submission"}',
    },
    expected: { type: "form_submission", timestamp: now },
    signing: { keys: secret, timestamp: now },
  },
  "lemon-squeezy": overBody(
    { "x-signature": hex("sha256", secret, '{"meta":{"event_name":"order_created"}}') },
    { type: "order_created", covered: ["body", "type"] },
    {},
    '{"meta":{"event_name":"order_created"}}',
  ),
  razorpay: overBody(
    { "x-razorpay-signature": hex("sha256", secret, body), "x-razorpay-event-id": "e1" },
    { id: "e1", type: "thing.made", covered: ["body", "type"] },
  ),
  sentry: overBody(
    { "sentry-hook-signature": hex("sha256", secret, body), "request-id": "r1", "sentry-hook-resource": "issue" },
    { id: "r1", type: "issue" },
    { optionalHeaders: ["sentry-hook-signature", "sentry-app-signature"] },
  ),
  intercom: overBody(
    { "x-hub-signature": `sha1=${hex("sha1", secret, '{"id":"n1","topic":"user.created"}')}` },
    { id: "n1", type: "user.created", covered: ["body", "id", "type"], dedupeKey: "n1" },
    {},
    '{"id":"n1","topic":"user.created"}',
  ),
  woocommerce: overBody(
    {
      "x-wc-webhook-signature": base64("sha256", secret, body),
      "x-wc-webhook-delivery-id": "d1",
      "x-wc-webhook-topic": "order.created",
    },
    { id: "d1", type: "order.created" },
  ),
  docusign: overBody(
    {
      "x-docusign-signature-1": base64("sha256", secret, body),
      "x-docusign-signature-2": base64("sha256", other, body),
    },
    { type: "thing.made", covered: ["body", "type"] },
    {
      otherKeys: "a third secret that signed nothing",
      signing: { keys: [secret, other] },
      optionalHeaders: [1, 2, 3, 4, 5].map((index) => `x-docusign-signature-${index}`),
    },
  ),
  typeform: overBody(
    { "typeform-signature": `sha256=${base64("sha256", secret, '{"event_id":"e1","event_type":"form_response"}')}` },
    { id: "e1", type: "form_response", covered: ["body", "id", "type"], dedupeKey: "e1" },
    {},
    '{"event_id":"e1","event_type":"form_response"}',
  ),
  quickbooks: overBody({ "intuit-signature": base64("sha256", secret, body) }, {}),
  zendesk: {
    from: "formula",
    ...keys,
    request: {
      headers: {
        "x-zendesk-webhook-signature-timestamp": iso,
        "x-zendesk-webhook-signature": base64("sha256", secret, iso, body),
        "x-zendesk-webhook-invocation-id": "i1",
      },
      body,
    },
    expected: { id: "i1", type: "thing.made", timestamp: now, covered: ["timestamp", "body", "type"] },
    signing: { keys: secret, timestamp: now, id: "i1" },
  },
  trello: {
    from: "formula",
    ...keys,
    request: {
      method: "POST",
      url,
      headers: { "x-trello-webhook": base64("sha1", secret, '{"action":{"id":"a1","type":"updateCard"}}', url) },
      body: '{"action":{"id":"a1","type":"updateCard"}}',
    },
    expected: { id: "a1", type: "updateCard", dedupeKey: "a1", covered: ["body", "url", "id", "type"] },
    signing: { keys: secret },
  },
  convoy: {
    from: "formula",
    ...keys,
    request: {
      headers: { "x-convoy-signature": `t=${seconds},v1=${hex("sha256", secret, `${seconds},`, body)}` },
      body,
    },
    expected: { timestamp: now },
    signing: { keys: secret, timestamp: now },
  },
  "convoy-simple": overBody({ "x-convoy-signature": hex("sha256", secret, body) }, { covered: ["body", "type"] }),
  asana: overBody({ "x-hook-signature": hex("sha256", secret, body) }, {}),
  dropbox: overBody({ "x-dropbox-signature": hex("sha256", secret, body) }, {}),
  okta: {
    from: "documentation",
    ...keys,
    request: { headers: { authorization: secret }, body: '{"eventId":"e1","eventType":"com.okta.event_hook"}' },
    expected: { id: "e1", type: "com.okta.event_hook", covered: ["sender"], dedupeKey: "e1" },
    signing: { keys: secret },
  },
  cloudevents: {
    from: "documentation",
    ...keys,
    request: {
      headers: { authorization: `Bearer ${secret.replaceAll(" ", "-")}`, "ce-id": "1", "ce-type": "com.example" },
      body,
    },
    keys: secret.replaceAll(" ", "-"),
    expected: { id: "1", type: "com.example", covered: ["sender"] },
    signing: { keys: secret.replaceAll(" ", "-"), id: "1", type: "com.example" },
  },
};

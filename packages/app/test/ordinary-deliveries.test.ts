import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, type Scheme, type SignInput, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { expect, test } from "vitest";
import { pem, rsa } from "../../webhook-verifier/test/vectors/vector.ts";

const secret = "a secret that only the two know";
const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const push = { audience: "https://hooks.example.com/in", email: "push@project.iam.gserviceaccount.com" };

interface Ordinary {
  readonly scheme: Scheme;
  /** The page of the sender that shows such a delivery, or says that the sender's user decides. */
  readonly page: string;
  readonly keys?: readonly [signing: string, verifying: string];
  readonly input: Omit<SignInput, "keys">;
  readonly type?: string;
  /** How often the handler runs when the very same delivery comes three times. Default: once. */
  readonly effects?: number;
}

const ordinary: Readonly<Record<string, Ordinary>> = {
  "a workflow of Jira triggers a webhook": {
    scheme: schemes.jira,
    page: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
    input: {
      body: '{"transition":{"workflowId":11040,"transitionName":"Done"},"issue":{"id":"10042"},"timestamp":1598893874818}',
    },
  },
  "a trigger of Zendesk sends what the administrator wrote": {
    scheme: schemes.zendesk,
    page: "https://developer.zendesk.com/documentation/webhooks/anatomy-of-a-webhook-request/",
    input: { body: '{"ticket_id":"35436","title":"Printer","type":1}', id: "01HZXV3Z" },
  },
  "Postmark hands on inbound mail": {
    scheme: schemes.postmark,
    page: "https://postmarkapp.com/developer/webhooks/inbound-webhook",
    input: {
      body: '{"FromName":"Postmarkapp Support","MessageStream":"inbound","From":"support@postmarkapp.com","MessageID":"73e6d360-66eb-11e1-8e72-a8904824019b","Date":"Fri, 1 Aug 2014 16:45:32 -04:00","Subject":"Test subject","TextBody":"This is a test text body."}',
    },
  },
  "Vonage hands on an inbound message": {
    scheme: schemes.vonage,
    page: "https://developer.vonage.com/messaging/sms/guides/inbound-sms",
    input: {
      body: '{"msisdn":"447700900001","to":"447700900000","messageId":"0A0000000123ABCD1","text":"Text message sent via SMS API","type":"text","keyword":"TEXT","message-timestamp":"2020-01-01 12:00:00"}',
    },
  },
  "Gmail publishes a push notification": {
    scheme: schemes["google-pubsub"],
    page: "https://developers.google.com/workspace/gmail/api/guides/push",
    keys: [pem(rsa.privateKey), pem(rsa.publicKey)],
    input: {
      settings: push,
      body: '{"message":{"data":"eyJlbWFpbEFkZHJlc3MiOiAidXNlckBleGFtcGxlLmNvbSIsICJoaXN0b3J5SWQiOiAiMTIzNDU2Nzg5MCJ9","messageId":"2070443601311540","publishTime":"2021-02-26T19:13:55.749Z"},"subscription":"projects/myproject/subscriptions/mysubscription"}',
    },
  },
  "Pub/Sub unwraps the payload and writes the metadata into headers": {
    scheme: schemes["google-pubsub"],
    page: "https://cloud.google.com/pubsub/docs/payload-unwrapping",
    keys: [pem(rsa.privateKey), pem(rsa.publicKey)],
    input: {
      settings: push,
      headers: { "x-goog-pubsub-message-id": "2070443601311540" },
      body: '{"status":"Hello there"}',
    },
  },
  "Pub/Sub unwraps the payload and writes no metadata": {
    scheme: schemes["google-pubsub"],
    page: "https://cloud.google.com/pubsub/docs/payload-unwrapping",
    keys: [pem(rsa.privateKey), pem(rsa.publicKey)],
    input: { settings: push, body: '{"status":"Hello there"}' },
    effects: 3,
  },
  "Svix sends what its user gave it": {
    scheme: schemes.svix,
    page: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
    keys: [whsec, whsec],
    input: { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' },
  },
  "a sender of Standard Webhooks squashes its data": {
    scheme: schemes["standard-webhooks"],
    page: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
    keys: [whsec, whsec],
    input: { id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", body: '{"id":"1f81eb52-5198-4599-803e-771906343485"}' },
  },
  "Convoy sends any JSON": {
    scheme: schemes.convoy,
    page: "https://github.com/frain-dev/convoy/blob/main/worker/task/process_event_delivery.go",
    input: { body: '["any", {"JSON": "value"}]' },
  },
  "Convoy, signing simply, sends any JSON": {
    scheme: schemes["convoy-simple"],
    page: "https://github.com/frain-dev/convoy/blob/main/worker/task/process_event_delivery.go",
    input: { body: '{"amount":12}' },
  },
  "Grafana sends a payload of one's own": {
    scheme: schemes.grafana,
    page: "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
    input: { body: '{"incident":"disk full"}' },
    effects: 3,
  },
  "an older GitLab sends no id": {
    scheme: schemes["gitlab-token"],
    page: "https://docs.gitlab.com/user/project/integrations/webhooks/",
    input: { headers: { "x-gitlab-event": "Push Hook" }, body: '{"object_kind":"push","ref":"refs/heads/main"}' },
    type: "Push Hook",
    effects: 3,
  },
  "Stripe sends a thin event": {
    scheme: schemes.stripe,
    page: "https://docs.stripe.com/event-destinations",
    input: {
      body: '{"id":"evt_test_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0","object":"v2.core.event","type":"v1.billing.meter.error_report_triggered","livemode":false,"created":"2024-09-17T06:20:52.246Z","related_object":{"id":"mtr_test_61R9IeP0SgKbYROOx41PEAQhH0qO23oW","type":"billing.meter","url":"/v1/billing/meters/mtr_test_61R9IeP0SgKbYROOx41PEAQhH0qO23oW"}}',
    },
    type: "v1.billing.meter.error_report_triggered",
  },
  "Logto's own server sends no id": {
    scheme: schemes.logto,
    page: "https://github.com/logto-io/logto/blob/master/packages/core/src/libraries/hook/utils.ts",
    input: { body: '{"hookId":"h1","event":"PostSignIn","createdAt":"2022-12-29T08:12:44.386Z"}' },
    type: "PostSignIn",
  },
  "Sentry sends the fields of an alert rule": {
    scheme: schemes.sentry,
    page: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
    input: {
      headers: { "request-id": "4f1d0c8c" },
      body: '{"fields":{"title":"An issue"},"installationId":"7a485448-a9e2-4c85-8a3c-4f44175783c9"}',
    },
  },
  "a workflow of monday runs an action": {
    scheme: schemes.monday,
    page: "https://developer.monday.com/apps/docs/custom-actions",
    input: {
      body: '{"payload":{"blockKind":"action","inboundFieldValues":{"number":"12"},"recipeId":30440660},"runtimeMetadata":{"actionUuid":"1f6129e75d7b78b77179061ab026bbab","triggerUuid":"b644926b34fbabf3547bd1bc38ad6cdb"}}',
    },
  },
  "HCP Terraform assesses a workspace": {
    scheme: schemes.terraform,
    page: "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations",
    input: {
      body: '{"payload_version":"2","notification_configuration_id":"nc-SZ3V3cLFxK6sqLKn","trigger":"assessment:drifted","trigger_scope":"assessment","message":"Drift Detected"}',
    },
    type: "assessment:drifted",
  },
};

test.each(Object.entries(ordinary))("%s, and every handler without a type gets it", async (_what, one) => {
  const { scheme, input, type, effects = 1 } = one;
  const [signing, verifying] = one.keys ?? [secret, secret];
  const ports = memoryPorts();
  const { settings } = input;
  const now = (): number => ports.clock.now();
  const verifier = createVerifier(scheme, { keys: verifying, now, ...(settings && { settings }) });
  const seen: unknown[] = [];
  const handlers = [
    on(scheme.name, "*", async (event) => seen.push(event.type)),
    on(scheme.name, "other.*", async () => seen.push("other")),
  ];
  const app = createApp({ ports, providers: [defineProvider({ name: scheme.name, verifier })], handlers });
  const url = `https://hooks.example.com/api/webhooks/${scheme.name}`;
  const request = await signRequest(scheme, { keys: signing, url, timestamp: now(), ...input });
  const receive = () =>
    app.receive({
      provider: scheme.name,
      method: "POST",
      url,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(request.body),
      requestId: "r",
    });
  expect(await receive()).toMatchObject({ status: 200 });
  await receive();
  await receive();
  expect(new Set((await ports.storage.events.list({ limit: 10 })).map(({ state }) => state))).toEqual(
    new Set(["received"]),
  );
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  await worker.runDue();
  await ports.clock.advance(0);
  expect(seen).toEqual(Array.from({ length: effects }, () => type));
});

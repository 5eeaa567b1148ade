import { createHmac, sign as rawSign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier, type Fetch, type Scheme, signRequest, type VerifierOptions } from "../../src/index.ts";
import { expectRefusal, now } from "../support.ts";
import { vectors } from "../vectors/index.ts";
import { ed25519, hex, pem, rsa, seconds, sha256 } from "../vectors/vector.ts";

const secret = "a secret that only the two know";
const verifierOf = (scheme: Scheme, options: Partial<VerifierOptions> = {}) =>
  createVerifier(scheme, { keys: secret, now: () => now, ...options });
const get = (url: string, headers: Record<string, string> = {}) => ({ method: "GET", url, headers });

/** What every sender that begins with a handshake must get back. */
export const handshakes = (): void => {
  test("is undefined for deliveries that are no handshake, for every scheme", async () => {
    for (const [name, scheme] of Object.entries<Scheme>(schemes)) {
      const vector = vectors[name];
      if (vector === undefined || name === "discord") continue;
      const verifier = createVerifier(scheme, {
        keys: vector.keys,
        now: () => vector.now ?? now,
        allowShort: vector.allowShort,
        ...(vector.settings !== undefined && { settings: vector.settings }),
      });
      expect([name, await verifier.handshake({ method: "POST", ...vector.request })]).toEqual([name, undefined]);
    }
  });

  test("slack: answers the challenge as text, and only with a right signature", async () => {
    const body = '{"type":"url_verification","challenge":"c-1","token":"t"}';
    const { headers } = await signRequest(schemes.slack, { keys: secret, body, timestamp: now });
    const answer = await verifierOf(schemes.slack).handshake({ headers, body });
    expect(answer).toMatchObject({ status: 200, body: "c-1" });
    expect(answer?.headers["content-type"]).toContain("text/plain");
    await expectRefusal(
      verifierOf(schemes.slack).handshake({ headers: { ...headers, "x-slack-signature": "v0=00" }, body }),
      "signature_mismatch",
    );
  });

  test("zoom: answers plain and encrypted token, and only with a right signature", async () => {
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"p-1"}}';
    const { headers } = await signRequest(schemes.zoom, { keys: secret, body, timestamp: now });
    const answer = await verifierOf(schemes.zoom).handshake({ headers, body });
    expect(JSON.parse(answer?.body ?? "")).toEqual({ plainToken: "p-1", encryptedToken: hex("sha256", secret, "p-1") });
    await expectRefusal(
      verifierOf(schemes.zoom).handshake({ headers, body: body.replace("p-1", "p-2") }),
      "signature_mismatch",
    );
  });

  test("discord: answers both kinds of PING and leaves events alone, and only with a right signature", async () => {
    const pair = ed25519(7);
    const verifier = verifierOf(schemes.discord, { keys: pair.raw });
    const ask = (body: string, signed = body) =>
      verifier.handshake({
        headers: {
          "x-signature-timestamp": seconds,
          "x-signature-ed25519": rawSign(null, Buffer.from(seconds + signed), pair.privateKey).toString("hex"),
        },
        body,
      });
    expect(await ask('{"type":1}')).toMatchObject({ status: 200, body: '{"type":1}' });
    expect(await ask('{"type":0}')).toMatchObject({ status: 204, body: "" });
    expect(await ask('{"type":1,"event":{"type":"X"}}')).toBeUndefined();
    expect(await ask('{"type":2}')).toBeUndefined();
    await expectRefusal(ask('{"type":1}', "other"), "signature_mismatch");
  });

  test("meta: answers the challenge for the right token, 403 for another, nothing for the rest", async () => {
    const verifier = verifierOf(schemes.meta, { settings: { verifyToken: "v-1" } });
    const url = "https://hooks.example.com/meta?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=";
    expect(await verifier.handshake(get(`${url}v-1`))).toMatchObject({ status: 200, body: "1158201444" });
    expect(await verifier.handshake(get(`${url}v-2`))).toMatchObject({ status: 403 });
    expect(await verifierOf(schemes.meta).handshake(get(`${url}v-1`))).toMatchObject({ status: 403 });
    expect(await verifier.handshake(get("/meta"))).toBeUndefined();
  });

  test("x: answers the CRC with the HMAC of its token", async () => {
    const answer = await verifierOf(schemes.x).handshake(get("/x?crc_token=foo"));
    const expected = createHmac("sha256", secret).update("foo").digest("base64");
    expect(JSON.parse(answer?.body ?? "")).toEqual({ response_token: `sha256=${expected}` });
    expect(await verifierOf(schemes.x).handshake(get("/x?crc_token=a&crc_token=b"))).toBeUndefined();
  });

  test("x, linkedin: no answer to a challenge is the signature of a body", async () => {
    const senders = [
      { scheme: schemes.x, header: "x-twitter-webhooks-signature", asked: "crc_token", code: "1158201444" },
      {
        scheme: schemes.linkedin,
        header: "x-li-signature",
        asked: "challengeCode",
        code: "111111111111111111111111111111111111",
      },
    ];
    for (const { scheme, header, asked, code } of senders) {
      const verifier = verifierOf(scheme);
      const ask = (body: string) => verifier.handshake(get(`/hook?${asked}=${encodeURIComponent(body)}`));
      for (const body of ['{"type":"t"}', ' {"type":"t"}', 'hmacsha256={"type":"t"}', '\ufeff{"type":"t"}', "[{}]"])
        expect([scheme.name, body, await ask(body)]).toEqual([scheme.name, body, undefined]);
      const answer = JSON.parse((await ask(code))?.body ?? "{}");
      const headers = { [header]: answer.response_token ?? answer.challengeResponse };
      await expectRefusal(verifier.verify({ method: "POST", headers, body: code }), "body_malformed");
    }
  });

  test("linkedin: answers with the secret of the application that the challenge names", async () => {
    const code = "890e4665-4dfe-4ab1-b689-ed553bceeed0";
    const child = "a secret that only the child knows";
    const ask = async (keys: VerifierOptions["keys"], application?: string) => {
      const asked = application === undefined ? "" : `&applicationId=${application}`;
      const answer = await verifierOf(schemes.linkedin, { keys }).handshake(get(`/li?challengeCode=${code}${asked}`));
      return JSON.parse(answer?.body ?? "{}");
    };
    const answerOf = (key: string) => ({ challengeCode: code, challengeResponse: hex("sha256", key, code) });
    const both = [secret, { key: child, id: "4711" }];
    expect(await ask(secret)).toEqual(answerOf(secret));
    expect(await ask(secret, "4711")).toEqual(answerOf(secret));
    expect(await ask(both, "4711")).toEqual(answerOf(child));
    expect(await ask(both, "4712")).toEqual(answerOf(secret));
    expect(await ask(both)).toEqual(answerOf(secret));
    await expectRefusal(ask({ key: child, id: "4711" }, "4712"), "key_unknown");
  });

  test("twitch: answers the challenge as text, and only with a right signature", async () => {
    const body = '{"challenge":"c-1","subscription":{"type":"channel.follow"}}';
    const signed = await signRequest(schemes.twitch, { keys: secret, body, timestamp: now, id: "id-1" });
    const headers = { ...signed.headers, "twitch-eventsub-message-type": "webhook_callback_verification" };
    expect(await verifierOf(schemes.twitch).handshake({ headers, body })).toMatchObject({ status: 200, body: "c-1" });
    await expectRefusal(
      verifierOf(schemes.twitch).handshake({ headers, body: body.replace("c-1", "c-2") }),
      "signature_mismatch",
    );
  });

  test("ebay: answers the hash of code, token and endpoint", async () => {
    const settings = { verificationToken: "t-1", endpoint: "https://hooks.example.com/ebay" };
    const verifier = verifierOf(schemes.ebay, { keys: vectors.ebay?.keys ?? "", settings });
    const answer = await verifier.handshake(get("https://hooks.example.com/ebay?challenge_code=c-1"));
    expect(JSON.parse(answer?.body ?? "")).toEqual({ challengeResponse: sha256("c-1", "t-1", settings.endpoint) });
  });

  test("microsoft-graph: echoes the decoded validation token as text that no browser takes for a page", async () => {
    const answer = await verifierOf(schemes["microsoft-graph"]).handshake({
      method: "POST",
      url: "/graph?validationToken=Validation%3A+%3Cb%3E",
      headers: {},
      body: "",
    });
    expect(answer).toMatchObject({ status: 200, body: "Validation: <b>" });
    expect(answer?.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  test("cloudevents: grants the origins on the list and refuses others", async () => {
    const verifier = verifierOf(schemes.cloudevents, { settings: { allowedOrigins: ["eventemitter.example.com"] } });
    const ask = (origin: string) =>
      verifier.handshake({ method: "OPTIONS", headers: { "WebHook-Request-Origin": origin } });
    expect(await ask("eventemitter.example.com")).toMatchObject({
      status: 200,
      headers: { "webhook-allowed-origin": "eventemitter.example.com", "webhook-allowed-rate": "120" },
    });
    expect(await ask("evil.example.com")).toMatchObject({ status: 403 });
  });

  test("asana: sends the secret back only while a webhook is being made", async () => {
    const request = { method: "POST", headers: { "X-Hook-Secret": "s-1" }, body: "" };
    expect(await verifierOf(schemes.asana).handshake(request)).toBeUndefined();
    const open = verifierOf(schemes.asana, { settings: { acceptSecret: "yes" } });
    expect(await open.handshake(request)).toMatchObject({ status: 200, headers: { "x-hook-secret": "s-1" } });
  });

  test("okta, dropbox and trello: answer their plain challenges", async () => {
    const okta = await verifierOf(schemes.okta).handshake(get("/okta", { "x-okta-verification-challenge": "c-1" }));
    expect(JSON.parse(okta?.body ?? "")).toEqual({ verification: "c-1" });
    expect(await verifierOf(schemes.dropbox).handshake(get("/dropbox?challenge=c-1"))).toMatchObject({
      status: 200,
      body: "c-1",
    });
    expect(await verifierOf(schemes.trello).handshake({ method: "HEAD", headers: {} })).toMatchObject({ status: 200 });
  });

  test("mailchimp: answers every GET, and needs the secret of nothing but a POST", async () => {
    expect(await verifierOf(schemes.mailchimp).handshake(get("/mailchimp"))).toMatchObject({ status: 200, body: "" });
    expect(
      await verifierOf(schemes.mailchimp).handshake({ method: "POST", headers: {}, body: "type=subscribe" }),
    ).toBeUndefined();
  });

  test("strava: answers its challenge as JSON if the verify token is right", async () => {
    const verifier = verifierOf(schemes.strava, { settings: { verifyToken: "v-1" } });
    const asked = (token: string) =>
      verifier.handshake(get(`/strava?hub.mode=subscribe&hub.challenge=c-1&hub.verify_token=${token}`));
    expect(JSON.parse((await asked("v-1"))?.body ?? "")).toEqual({ "hub.challenge": "c-1" });
    expect(await asked("other")).toMatchObject({ status: 403, body: "" });
    expect(await verifier.handshake(get("/strava"))).toBeUndefined();
  });

  test("xero: answers the intent to receive with nothing but 200, and refuses a wrong signature", async () => {
    const body = '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"x"}';
    const { headers } = await signRequest(schemes.xero, { keys: secret, body });
    expect(await verifierOf(schemes.xero).handshake({ method: "POST", headers, body })).toEqual({
      status: 200,
      headers: {},
      body: "",
    });
    await expectRefusal(
      verifierOf(schemes.xero, { keys: "another secret of 26 bytes" }).handshake({ method: "POST", headers, body }),
      "signature_mismatch",
    );
  });

  describe("aws-sns", () => {
    const topic = "arn:aws:sns:us-east-1:123456789012:orders";
    const subscribe = "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=t";
    const confirmation = {
      Type: "SubscriptionConfirmation",
      MessageId: "m1",
      TopicArn: topic,
      Message: "m",
      Token: "t",
      SubscribeURL: subscribe,
    };
    const attempt = async (message: object, topics: string[]) => {
      const called: string[] = [];
      const fetch: Fetch = async (url) => {
        called.push(url);
        return { status: 200, headers: { get: () => null }, text: async () => "" };
      };
      const settings = { topics };
      const request = await signRequest(schemes["aws-sns"], {
        keys: pem(rsa.privateKey),
        settings,
        timestamp: now,
        body: JSON.stringify(message),
      });
      const verifier = verifierOf(schemes["aws-sns"], { keys: pem(rsa.publicKey), settings, fetch });
      const answer = await verifier.handshake(request).catch((error: { code: string }) => error.code);
      return { answer, called };
    };

    test("confirms a subscription to a topic on the list", async () => {
      expect(await attempt(confirmation, [topic])).toEqual({
        answer: { status: 200, headers: {}, body: "" },
        called: [subscribe],
      });
    });

    test("confirms no other topic and calls nobody but SNS", async () => {
      expect(await attempt(confirmation, ["arn:aws:sns:us-east-1:1:other"])).toEqual({
        answer: "claim_mismatch",
        called: [],
      });
      const elsewhere = { ...confirmation, SubscribeURL: "https://evil.example.com/" };
      expect(await attempt(elsewhere, [topic])).toEqual({ answer: "key_url_refused", called: [] });
    });
  });
};

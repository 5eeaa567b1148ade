import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, type Fetch, type Key, keyLookup, signRequest } from "../src/index.ts";
import { snsCertificates } from "../src/schemes/aws-sns.ts";
import { paypalCertificates } from "../src/schemes/paypal.ts";
import { certificate, certificatePem } from "./certificates.ts";
import { expectRefusal, now } from "./support.ts";
import { otherRsa, p256, pem, rsa } from "./vectors/vector.ts";

const day = 86_400_000;
const minute = 60_000;

const plaidMessage = (id: string, timestamp = now) =>
  signRequest(schemes.plaid, { keys: { key: pem(p256.privateKey), id }, body: "{}", timestamp });

/** A verifier of Plaid: its look-up knows k1 and can be switched off, and tests set its clock. */
const plaid = () => {
  const state = { at: now, asked: [] as string[], down: false, gone: false };
  const find = async (id: string): Promise<Key | undefined> => {
    state.asked.push(id);
    if (state.down) throw new TypeError("connection refused");
    return id === "k1" && !state.gone ? { key: pem(p256.publicKey) } : undefined;
  };
  const verifier = createVerifier(schemes.plaid, {
    keys: keyLookup(find),
    now: () => state.at,
    toleranceSeconds: Number.POSITIVE_INFINITY,
  });
  return { state, receive: async (id: string) => verifier.verify(await plaidMessage(id)) };
};

describe("keyLookup, attacked with invented key ids", () => {
  test("keeps a known key working, even past its age, whatever ids strangers invent", async () => {
    const { state, receive } = plaid();
    await receive("k1");
    for (let hour = 0; hour < 30; hour++) {
      for (let junk = 0; junk < 20; junk++)
        await expect(receive(`junk-${hour}-${junk}`)).rejects.toMatchObject({ name: "WebhookVerificationError" });
      expect((await receive("k1")).keyId).toBe("k1");
      state.at += 3_600_000;
    }
    // Looked up again after a day, in spite of the strangers.
    expect(state.asked.filter((id) => id === "k1")).toHaveLength(2);
  });

  test("makes one look-up for any number of messages at once", async () => {
    const { state, receive } = plaid();
    await Promise.all(Array.from({ length: 500 }, () => receive("k1")));
    expect(state.asked).toEqual(["k1"]);
    await Promise.allSettled(Array.from({ length: 500 }, () => receive("k2")));
    expect(state.asked).toEqual(["k1", "k2"]);
  });

  test("makes no more than ten look-ups a minute, and refuses the rest as unavailable, never as unknown", async () => {
    const { state, receive } = plaid();
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => receive(`junk-${index}`).catch(({ code }) => code as string)),
    );
    expect(state.asked.length).toBeLessThanOrEqual(10);
    expect(codes.filter((code) => code === "key_unknown")).toHaveLength(state.asked.length);
    expect(codes.filter((code) => code === "key_unavailable")).toHaveLength(100 - state.asked.length);
    // The rest of the ten is for keys that are known.
    state.at += minute;
    await receive("k1");
  });

  test("asks for an unknown id once a minute, and for one whose look-up failed as well", async () => {
    const { state, receive } = plaid();
    for (let index = 0; index < 5; index++) await expectRefusal(receive("k2"), "key_unknown");
    expect(state.asked).toEqual(["k2"]);
    state.down = true;
    for (let index = 0; index < 5; index++) await expectRefusal(receive("k3"), "key_unavailable");
    expect(state.asked).toEqual(["k2", "k3"]);
    state.at += minute;
    state.down = false;
    await expectRefusal(receive("k2"), "key_unknown");
    await expectRefusal(receive("k3"), "key_unknown");
    expect(state.asked).toEqual(["k2", "k3", "k2", "k3"]);
  });

  test("uses a known key for a day past its age while it cannot be looked up, trying once a minute", async () => {
    const { state, receive } = plaid();
    await receive("k1");
    state.down = true;
    state.at += day;
    for (let index = 0; index < 5; index++) await receive("k1");
    expect(state.asked).toHaveLength(2);
    state.at += day;
    await expectRefusal(receive("k1"), "key_unavailable");
    state.down = false;
    state.at += minute;
    await receive("k1");
  });

  test("stops using a key that the sender no longer has", async () => {
    const { state, receive } = plaid();
    await receive("k1");
    state.gone = true;
    state.at += day;
    await expectRefusal(receive("k1"), "key_unknown");
  });

  test("counts look-ups that never end, so that they cannot pile up", async () => {
    let asked = 0;
    let at = now;
    const keys = keyLookup(() => {
      asked++;
      return new Promise(() => undefined);
    });
    for (let index = 0; index < 100; index++) {
      Promise.resolve(keys.find(`k${index}`, at)).catch(() => undefined);
      at += minute;
    }
    expect(asked).toBeLessThanOrEqual(10);
  });

  test("goes on when the clock is set back", async () => {
    const { state, receive } = plaid();
    for (let index = 0; index < 20; index++) await receive(`junk-${index}`).catch(() => undefined);
    state.at -= day;
    await receive("k1");
  });
});

/** A server of certificates: answers every address, or those it has, and counts. */
const certificateServer = (subject: string, has: (url: string) => boolean = () => true) => {
  const asked: string[] = [];
  const dates = { notBefore: now - day, notAfter: now + day };
  const leaf = certificatePem(
    certificate({ subject, issuer: "Root", subjectKey: rsa.publicKey, issuerKey: otherRsa.privateKey, ...dates }),
  );
  const fetch: Fetch = async (url) => {
    asked.push(url);
    return { status: has(url) ? 200 : 404, headers: { get: () => null }, text: async () => leaf };
  };
  return { asked, fetch };
};

describe("certificates by URL, attacked with forged messages", () => {
  const topic = "arn:aws:sns:us-west-2:123456789012:orders";
  const genuine = "https://sns.us-west-2.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";
  const settings = { topics: [topic] };
  const sns = (fetch: Fetch) =>
    createVerifier(schemes["aws-sns"], { keys: snsCertificates({ fetch }), settings, now: () => now });
  const message = (id: string | undefined, about: object = { TopicArn: topic }, key = rsa) =>
    signRequest(schemes["aws-sns"], {
      keys: { key: pem(key.privateKey), id },
      settings,
      body: JSON.stringify({ Message: "m", ...about }),
      timestamp: now,
    });

  test("of SNS are refused without any fetch unless region, path and spelling are exactly SNS's", async () => {
    const { asked, fetch } = certificateServer("sns.amazonaws.com");
    const file = "SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";
    for (const url of [
      `https://sns.s3-us-west-2.amazonaws.com/${file}`,
      `https://sns.us-east-1.amazonaws.com/${file}`,
      `https://sns.us-west-9.amazonaws.com/${file}`,
      `https://sns.us-west-2.amazonaws.com/evil/${file}`,
      `https://sns.us-west-2.amazonaws.com/evil.pem`,
      `${genuine}?1.pem`,
      `${genuine}?`,
      `${genuine}#1.pem`,
      `https://SNS.us-west-2.amazonaws.com/${file}`,
      `https://sns.us-west-2.amazonaws.com:443/${file}`,
      `https://sns.us-west-2.amazonaws.com//${file}`,
      `https://sns.us-west-2.amazonaws.com/./${file}`,
      ` ${genuine}`,
    ])
      await expectRefusal(sns(fetch).verify(await message(url)), "key_url_refused");
    const bucket = { TopicArn: "arn:aws:sns:s3-us-west-2:1:t" };
    const own = createVerifier(schemes["aws-sns"], {
      keys: snsCertificates({ fetch }),
      settings: { topics: [bucket.TopicArn] },
    });
    await expectRefusal(own.verify(await message(undefined, bucket)), "key_url_refused");
    expect(asked).toEqual([]);
    // Without the scheme in front, the source refuses them as well.
    await expect(
      (async () => snsCertificates({ fetch }).find(`https://sns.s3-us-west-2.amazonaws.com/${file}`, now))(),
    ).rejects.toMatchObject({ code: "key_url_refused" });
    expect(asked).toEqual([]);
  });

  test("of SNS are not fetched for topics that are not yours", async () => {
    const { asked, fetch } = certificateServer("sns.amazonaws.com");
    const foreign = await message(genuine, { TopicArn: "arn:aws:sns:us-west-2:1:other" });
    await expectRefusal(sns(fetch).verify(foreign), "claim_mismatch");
    expect(asked).toEqual([]);
  });

  test("of SNS cost one fetch for 200 forgeries, and no genuine delivery", async () => {
    const { asked, fetch } = certificateServer("sns.amazonaws.com", (url) => url === genuine);
    const verifier = sns(fetch);
    const forged = await message(genuine, { TopicArn: topic }, otherRsa);
    for (let index = 0; index < 200; index++) await expectRefusal(verifier.verify(forged), "signature_mismatch");
    expect(asked).toEqual([genuine]);
    const invented = await Promise.all(
      Array.from({ length: 200 }, (_, index) => message(genuine.replace(".pem", `${index}.pem`))),
    );
    for (const one of invented) await expectRefusal(verifier.verify(one), "key_unavailable");
    expect(asked.length).toBeLessThanOrEqual(10);
    await verifier.verify(await message(genuine));
  });

  test("of PayPal are asked for at PayPal's own path only, and each bad answer is kept", async () => {
    const url = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270";
    const { asked, fetch } = certificateServer("messageverificationcerts.paypal.com", (one) => one === url);
    const options = { settings: { webhookId: "WH" }, now: () => now };
    const verifier = createVerifier(schemes.paypal, { keys: paypalCertificates({ fetch }), ...options });
    const receive = async (id: string) =>
      verifier.verify(
        await signRequest(schemes.paypal, {
          keys: { key: pem(rsa.privateKey), id },
          settings: options.settings,
          body: "{}",
          id: "t1",
          timestamp: now,
        }),
      );
    for (const wrong of [
      `${url}?1`,
      `${url}/x`,
      "https://api.paypal.com/CERT",
      "https://api.paypal.com/v1/x/certs/CERT",
    ])
      await expectRefusal(receive(wrong), "key_url_refused");
    expect(asked).toEqual([]);
    for (let index = 0; index < 5; index++) await expectRefusal(receive(`${url}-gone`), "key_unavailable");
    expect(asked).toEqual([`${url}-gone`]);
    await receive(url);
  });
});

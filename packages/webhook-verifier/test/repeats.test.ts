import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allSchemes, factsOf } from "../scripts/facts.ts";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, type Delivery, type Scheme, type SignInput, signRequest } from "../src/index.ts";
import { signerOf } from "./signed-by-sender.ts";
import { now, p256, pem, rsa } from "./vectors/vector.ts";

const secret = "a secret that only the two know";
const url = "https://hooks.example.com/in";

/** Signs as the sender does, and receives it. */
const delivered = async (scheme: Scheme, input: Omit<SignInput, "keys"> & { keys?: SignInput["keys"] }) => {
  const { timestamp = now, settings } = input;
  const request = await signRequest(scheme, { keys: secret, url, timestamp, ...input });
  return createVerifier(scheme, { keys: secret, now: () => timestamp, ...(settings && { settings }) }).verify(request);
};

const keyOf = async (...given: Parameters<typeof delivered>) => (await delivered(...given)).dedupeKey;

describe("every scheme declares what makes a delivery the same, with its source", () => {
  test.each(allSchemes.map((scheme) => [scheme.name, scheme] as const))("%s", (_, scheme) => {
    const { repeats = [] } = scheme;
    expect(repeats.length).toBeGreaterThan(0);
    expect(factsOf(scheme).repeats?.source).toMatch(/^https:\/\//);
    for (const rule of repeats) {
      // What is stored is kept for 35 days.
      if (rule.by === "body") expect(rule.windowSeconds).toBeLessThanOrEqual(35 * 86_400);
      if (rule.by === "none") expect(factsOf(scheme).repeats?.why).toMatch(/\.$/);
      // A rule without an id takes the scheme's own.
      if (rule.by === "unsigned-id") expect(rule.id ?? scheme.id).toBeDefined();
    }
    // Rules after one that every delivery fits would never count.
    expect(repeats.findIndex(({ by }) => by === "body" || by === "none")).toBeOneOf([-1, repeats.length - 1]);
  });
});

describe("every scheme says which of its events have an id and a type", () => {
  test.each(allSchemes.map((scheme) => [scheme.name, scheme] as const))("%s", (_, scheme) => {
    const { id, type, promises, items, covered } = scheme;
    expect(promises).toBeDefined();
    const facts = factsOf(scheme);
    expect(facts.promises?.source ?? facts.repeats?.source).toMatch(/^https:\/\//);
    // What is promised has a place, is read while the signature is checked, or belongs to an item.
    for (const [part, place] of Object.entries({ id, type }))
      if (place === undefined && items === undefined && !covered.includes(part as "id"))
        expect(promises?.[part as "id"]).not.toBe("promised");
  });
});

describe("deliveries that differ in nothing that is signed are events of their own", () => {
  test("dropbox", async () => {
    const body = '{"list_folder":{"accounts":["dbid:AAH-example"]},"delta":{"users":[12345678]}}';
    expect(await delivered(schemes.dropbox, { body })).toMatchObject({ dedupeKey: undefined, repeat: { by: "none" } });
  });

  test("doppler and websub", async () => {
    expect(await keyOf(schemes.doppler, { body: '{"type":"config.secrets.update"}' })).toBeUndefined();
    expect(await keyOf(schemes.websub, { body: "a", settings: { topics: ["https://e.example"] } })).toBeUndefined();
  });

  test("microsoft-graph, unless a notification has an id", async () => {
    const take = async (value: object[]) =>
      (await delivered(schemes["microsoft-graph"], { body: JSON.stringify({ value }) })).items;
    const item = { changeType: "updated", resource: "drives/1/root" };
    expect((await take([item, item]))?.map(({ dedupeKey }) => dedupeKey)).toEqual([undefined, undefined]);
    expect(await take([{ id: "n1", ...item }])).toMatchObject([{ dedupeKey: "n1" }]);
  });

  test("token, basic-auth and oidc, unless a header names them", async () => {
    const body = '{"done":true}';
    for (const id of ["webhook-id", "idempotency-key"]) {
      const headers = { authorization: `Bearer ${secret}`, [id]: "d1" };
      const { verify } = createVerifier(schemes.token, { keys: secret });
      expect((await verify({ headers, body })).dedupeKey).toBe("2:id:d1");
    }
    const { verify } = createVerifier(schemes.token, { keys: secret });
    expect(await verify({ headers: { authorization: `Bearer ${secret}` }, body })).toMatchObject({
      id: undefined,
      dedupeKey: undefined,
    });
  });

  const google = async (name: "google-cloud-scheduler" | "google-cloud-tasks", headers: Record<string, string>) => {
    const settings = { audience: "a", email: "e@example.com" };
    const given = { keys: pem(rsa.privateKey), body: "", settings, timestamp: now };
    const request = await signRequest(schemes[name], given);
    const { authorization = "" } = request.headers;
    const verifier = createVerifier(schemes[name], { keys: pem(rsa.publicKey), settings, now: () => now });
    return (await verifier.verify({ headers: { authorization, ...headers }, body: "" })).dedupeKey;
  };

  test("google-cloud-scheduler, unless job and time name the run", async () => {
    expect(await google("google-cloud-scheduler", {})).toBeUndefined();
    const run = (time: string) =>
      google("google-cloud-scheduler", { "x-cloudscheduler-jobname": "j", "x-cloudscheduler-scheduletime": time });
    expect(await run("2026-11-21T03:00:00Z")).toBe("2:id:j.2026-11-21T03:00:00Z");
    expect(await google("google-cloud-scheduler", { "x-cloudscheduler-jobname": "j" })).toBeUndefined();
  });

  test("google-cloud-tasks go by their names", async () => {
    expect(await google("google-cloud-tasks", { "x-cloudtasks-taskname": "t1" })).toBe("2:id:t1");
    const queued = { "x-cloudtasks-queuename": "q", "x-cloudtasks-taskname": "t1" };
    expect(await google("google-cloud-tasks", queued)).toBe("2:id:q.t1");
  });

  test("shopify goes by the webhook's id, zendesk by the invocation's", async () => {
    const body = '{"collection_listing":{"collection_id":1}}';
    expect(await keyOf(schemes.shopify, { body, id: "w1" })).toBe("2:id:w1");
    expect(await keyOf(schemes.shopify, { body, id: "w2" })).toBe("2:id:w2");
    const trigger = (state: string, id: string) =>
      keyOf(schemes.zendesk, { body: `{"id":"35","state":"${state}"}`, id });
    expect(await trigger("open", "i1")).not.toBe(await trigger("closed", "i2"));
    expect(await trigger("open", "i1")).toBe(await trigger("open", "i1"));
  });

  test("plaid's updates, ghost's changes and grafana's reminders", async () => {
    const update = '{"webhook_type":"TRANSACTIONS","webhook_code":"SYNC_UPDATES_AVAILABLE","item_id":"i"}';
    const plaid = async (timestamp: number) => {
      const [body, now] = [update, () => timestamp];
      const { headers } = await signRequest(schemes.plaid, { keys: pem(p256.privateKey), body, timestamp });
      const { verify } = createVerifier(schemes.plaid, { keys: pem(p256.publicKey), now });
      return [await verify({ headers, body }), await verify({ headers, body })].map(({ dedupeKey }) => dedupeKey);
    };
    const [first, replay] = await plaid(now);
    expect(replay).toBe(first);
    expect((await plaid(now + 1_000))[0]).not.toBe(first);
    expect(await keyOf(schemes.ghost, { body: "{}" })).not.toBe(
      await keyOf(schemes.ghost, { body: "{}", timestamp: now + 60_000 }),
    );
    expect(await keyOf(schemes.grafana, { body: '{"status":"firing"}' })).toBeUndefined();
  });
});

describe("a delivery that is sent again is the same", () => {
  test("btcpay, whose redelivery has an id of its own", async () => {
    const first = '{"deliveryId":"d1","originalDeliveryId":"d1","type":"InvoiceSettled"}';
    const again = '{"deliveryId":"d2","originalDeliveryId":"d1","isRedelivery":true,"type":"InvoiceSettled"}';
    expect(await keyOf(schemes.btcpay, { body: first })).toBe("d1");
    expect(await keyOf(schemes.btcpay, { body: again })).toBe("d1");
  });

  test("box, whose delivery id changes and whose event id stays", async () => {
    const body = '{"type":"webhook_event","id":"e1","trigger":"FILE.UPLOADED"}';
    expect(await keyOf(schemes.box, { body, headers: { "box-delivery-id": "d2" } })).toBe("e1");
  });

  test("klaviyo, figma, docusign, hubspot, line and xero, whose bodies tell the attempt", async () => {
    const take = async (name: "figma" | "docusign" | "hubspot-v1" | "line" | "xero", body: string) =>
      keyOf(schemes[name], { body });
    const pairs = [
      ["docusign", '{"event":"sent","retryCount":0}', '{"event":"sent","retryCount":1}'],
      ["hubspot-v1", '[{"eventId":1,"attemptNumber":0}]', '[{"eventId":1,"attemptNumber":1}]'],
      [
        "line",
        '{"events":[{"webhookEventId":"e","deliveryContext":{"isRedelivery":false}}]}',
        '{"events":[{"webhookEventId":"e","deliveryContext":{"isRedelivery":true}}]}',
      ],
      [
        "xero",
        '{"events":[{}],"lastEventSequence":1,"entropy":"a"}',
        '{"events":[{}],"lastEventSequence":1,"entropy":"b"}',
      ],
    ] as const;
    for (const [name, first, again] of pairs) {
      expect([name, await take(name, first)]).toEqual([name, await take(name, again)]);
      expect(await take(name, first)).not.toBe(await take(name, first.replace("e", "é")));
    }
    const figma = (retries: number) =>
      keyOf(schemes.figma, { body: `{"passcode":"${secret}","retries":${retries},"timestamp":"t"}` });
    expect(await figma(0)).toBe(await figma(1));
  });

  test("contentful and convoy, by the key that they send", async () => {
    const headers = { "x-contentful-idempotency-key": "k1" };
    expect(await keyOf(schemes.contentful, { body: "{}", headers, method: "POST" })).toBe("k1");
    expect(await keyOf(schemes.convoy, { body: "{}", headers: { "x-convoy-idempotency-key": "k1" } })).toBe("2:id:k1");
    expect(await delivered(schemes.convoy, { body: "{}" })).toMatchObject({
      repeat: { by: "body", windowSeconds: 3600 },
    });
  });
});

/**
 * Whether all that is signed tells a repeat, so that what is signed anew is another event. So it is
 * as well where the rules go by ids and a delivery has none.
 */
const exact = ({ repeats = [] }: Scheme, { repeat }: Delivery): boolean =>
  repeat.by === "body" && repeats.every((rule) => rule.by !== "body" || rule.exact === true);

/** Dropbox Sign signs no time but that of the event. */
const timeOfEvent = "dropbox-sign";

/** The body of another event, which is still what it was: an object, a list, or something else. */
const changed = (body: string, more: number): string =>
  body.startsWith("{")
    ? body.replace("{", `{"more":${more},`)
    : body.startsWith("[")
      ? body.replace(/]\s*$/, `,{"more":${more}}]`)
      : `${body}${more}`;

/** The body of an attempt: what the sender changes with each has this number, where it was absent. */
const attempt = (scheme: Scheme, body: string, number: number): string => {
  const rule = scheme.repeats?.find((one) => one.by === "body");
  const changing = (rule?.without ?? []).filter((name) => /^\w+$/.test(name));
  if (changing.length === 0 || !body.startsWith("{")) return body;
  const members: object = JSON.parse(body);
  const added = changing.filter((name) => !(name in members)).map((name) => [name, number]);
  return JSON.stringify({ ...members, ...Object.fromEntries(added) });
};

/** The body with another id: of the parts of an id, the longest names the event. */
const otherId = (body: string, id: string): string => {
  const [part = ""] = id.split(/[.:]/).sort((one, two) => two.length - one.length);
  return body.replaceAll(
    part,
    part.replace(/^./, (first) => (first === "8" ? "9" : "8")),
  );
};

/** Two different ids of events, in a form that every sender could have. */
const twoIds = fc.uniqueArray(fc.stringMatching(/^event-[0-9a-z]{1,12}$/), { minLength: 2, maxLength: 2 });

describe("of all schemes, an attempt that is signed anew has the key of the first, and another event has not", () => {
  test.each(allSchemes.map((scheme) => [scheme.name, scheme] as const))("%s", async (name, scheme) => {
    const { at, headers: signedHeaders, text, options, signed } = signerOf(scheme);
    const take = async (change: Partial<SignInput>, later = 0): Promise<Delivery> =>
      createVerifier(scheme, { ...options, now: () => at + later }).verify(await signed(change, later));
    const holds = async ([id = "", other = ""]: readonly string[], seconds: number, more: number): Promise<void> => {
      const first = await take({ id, body: attempt(scheme, text, 1) });
      const { repeat, dedupeKey } = first;
      expect(dedupeKey === undefined).toBe(repeat.by === "none");
      if (repeat.by === "none") return;
      if (!exact(scheme, first) && name !== timeOfEvent)
        expect((await take({ id, body: attempt(scheme, text, 2) }, seconds * 1_000)).dedupeKey).toBe(dedupeKey);
      // An id in a header is what `sign` was given, or stands among the headers.
      const headers = Object.fromEntries(
        Object.entries(signedHeaders).map(([header, value]) => [header, value === first.id ? other : value]),
      );
      if ((await take({ id: other, headers })).dedupeKey !== dedupeKey) return;
      const body = repeat.by === "body" ? changed(attempt(scheme, text, 1), more) : otherId(text, `${first.id}`);
      expect((await take({ id, body })).dedupeKey).not.toBe(dedupeKey);
    };
    await fc.assert(
      fc.asyncProperty(twoIds, fc.integer({ min: 1, max: 30 }), fc.nat(), holds),
      // To sign takes long where keys are public.
      { numRuns: 3 },
    );
  });
});

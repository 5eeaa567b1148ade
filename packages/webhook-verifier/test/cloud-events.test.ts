import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, signRequest } from "../src/index.ts";

const key = "a-token-that-only-the-two-know";
const { verify } = createVerifier(schemes.cloudevents, { keys: key });
const authorization = `Bearer ${key}`;

const attributes = {
  specversion: "1.0",
  id: "e-1",
  source: "/shops/7",
  type: "com.example.paid",
  subject: "order 42",
  traceparent: "00-1",
};
const binary = Object.fromEntries(
  Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)]),
);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What a sender says of the content, how each mode writes it, and what a handler must get. */
const contents: readonly {
  readonly name: string;
  readonly type: string | undefined;
  readonly body: string;
  readonly structured: object;
  readonly data: unknown;
}[] = [
  { name: "JSON", type: "application/json", body: '{"a":1}', structured: { data: { a: 1 } }, data: { a: 1 } },
  { name: "JSON of no type", type: undefined, body: '{"a":1}', structured: { data: { a: 1 } }, data: { a: 1 } },
  {
    name: "JSON of a vendor",
    type: "application/vnd.shop+json; charset=utf-8",
    body: "[1]",
    structured: { data_base64: base64("[1]") },
    data: [1],
  },
  { name: "text", type: "text/plain", body: "é", structured: { data: "é" }, data: "é" },
  { name: "text in base64", type: "text/plain", body: "é", structured: { data_base64: base64("é") }, data: "é" },
  { name: "XML", type: "application/xml", body: "<a/>", structured: { data: "<a/>" }, data: "<a/>" },
  { name: "no data", type: undefined, body: "", structured: {}, data: undefined },
  { name: "no data of a type", type: "application/json", body: "", structured: {}, data: undefined },
];

describe.each(contents)("CloudEvents with $name", ({ type, body, structured, data }) => {
  const typed = type === undefined ? {} : { "content-type": type };
  const event = { ...attributes, ...(type !== undefined && { datacontenttype: type }) };
  const expected = { ...event, ...(data !== undefined && { data }) };

  test("in binary mode", async () => {
    const delivery = await verify({ headers: { authorization, ...binary, ...typed }, body });
    expect({ ...(delivery.payload as object) }).toEqual(expected);
    expect(delivery).toMatchObject({ id: "e-1", type: "com.example.paid", items: undefined });
    expect(delivery.dedupeKey).toContain("/shops/7.e-1");
  });

  test("in binary mode as a web Request, whose headers are an object of its own", async () => {
    const headers = { authorization, ...binary, ...typed };
    const request = new Request("https://hooks.example.com/", { method: "POST", headers, body: Buffer.from(body) });
    expect({ ...((await verify(request)).payload as object) }).toEqual(expected);
  });

  test("in structured mode", async () => {
    const headers = { authorization, "content-type": "application/cloudevents+json; charset=UTF-8" };
    const delivery = await verify({ headers, body: JSON.stringify({ ...event, ...structured }) });
    expect(delivery.payload).toEqual(expected);
    expect(delivery).toMatchObject({ id: "e-1", type: "com.example.paid", items: undefined });
    expect(delivery.dedupeKey).toContain("/shops/7.e-1");
  });

  test("in a batch, of which each event is one of its own", async () => {
    const headers = { authorization, "content-type": "application/cloudevents-batch+json" };
    const list = [
      { ...event, ...structured },
      { ...event, ...structured, id: "e-2", type: "other" },
    ];
    const { items = [] } = await verify({ headers, body: JSON.stringify(list) });
    expect(items.map(({ payload }) => payload)).toEqual([expected, { ...expected, id: "e-2", type: "other" }]);
    expect(items).toMatchObject([
      { id: "e-1", type: "com.example.paid" },
      { id: "e-2", type: "other" },
    ]);
    expect(new Set(items.map(({ dedupeKey }) => dedupeKey)).size).toBe(2);
  });
});

describe("CloudEvents", () => {
  test("bytes that are neither JSON nor text stay where they are", async () => {
    const png = Buffer.from([0x89, 0x50, 0xff]);
    const inBody = await verify({
      headers: { authorization, ...binary, "content-type": "image/png" },
      body: png,
    });
    expect(inBody.payload).not.toHaveProperty("data");
    expect(inBody.body).toEqual(png);
    const inText = await verify({
      headers: { authorization, "content-type": "application/cloudevents+json" },
      body: JSON.stringify({ ...attributes, datacontenttype: "image/png", data_base64: png.toString("base64") }),
    });
    expect(inText.payload).toMatchObject({ data_base64: png.toString("base64") });
    expect(inText.payload).not.toHaveProperty("data");
  });

  test("a batch of none has no events", async () => {
    const headers = { authorization, "content-type": "application/cloudevents-batch+json" };
    expect((await verify({ headers, body: "[]" })).items).toEqual([]);
  });

  test.each([{ a: 1 }, { ...attributes, data: { a: 1 } }])("what is signed is verified, as %j", async (body) => {
    const signed = await signRequest(schemes.cloudevents, {
      keys: key,
      body: JSON.stringify(body),
      id: "e-1",
      type: "t",
    });
    const delivery = await verify(signed);
    expect(delivery).toMatchObject({ id: "e-1", type: "specversion" in body ? "com.example.paid" : "t" });
    expect(delivery.payload).toMatchObject({ data: { a: 1 } });
  });

  test("Event Grid's own events, and CloudEvents that it sends alone or in a list, have their types", async () => {
    const grid = createVerifier(schemes["azure-event-grid"], { keys: key });
    const own = { id: "g-1", eventType: "Blob.Created", data: {} };
    for (const [sent, types] of [
      [[own], ["Blob.Created"]],
      [attributes, ["com.example.paid"]],
      [
        [attributes, { ...attributes, id: "e-2" }],
        ["com.example.paid", "com.example.paid"],
      ],
    ] as const) {
      const { items } = await grid.verify({
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(sent),
      });
      expect(items?.map(({ type }) => type)).toEqual(types);
    }
    const asked = { "webhook-request-origin": "eventgrid.azure.net" };
    expect(await grid.handshake({ method: "OPTIONS", headers: asked })).toMatchObject({
      status: 200,
      headers: { "webhook-allowed-origin": "eventgrid.azure.net" },
    });
    const other = { "webhook-request-origin": "elsewhere.example" };
    expect(await grid.handshake({ method: "OPTIONS", headers: other })).toBeUndefined();
  });
});

describe("the name of an Authorization scheme has no case", () => {
  const basic = Buffer.from("user:a-password-of-many-letters").toString("base64");
  const cases = [
    ["token", key, `Bearer ${key}`],
    ["cloudevents", key, `Bearer ${key}`],
    ["azure-event-grid", key, `Bearer ${key}`],
    ["basic-auth", "user:a-password-of-many-letters", `Basic ${basic}`],
    ["chargebee", "user:a-password-of-many-letters", `Basic ${basic}`],
    ["postmark", "user:a-password-of-many-letters", `Basic ${basic}`],
  ] as const;

  test.each(cases)("%s", async (name, keys, value) => {
    const { verify } = createVerifier(schemes[name], { keys });
    const [scheme = "", secret = ""] = value.split(" ");
    const body = '{"id":"1","RecordType":"Open"}';
    for (const authorization of [value, `${scheme.toLowerCase()} ${secret}`, `${scheme.toUpperCase()}   ${secret}`])
      expect((await verify({ headers: { authorization }, body })).scheme).toBe(name);
    for (const authorization of [`${scheme}${secret}`, `Other ${secret}`, secret])
      await expect(verify({ headers: { authorization }, body })).rejects.toMatchObject({ code: "signature_malformed" });
  });

  test("jwt", async () => {
    const { vonage } = schemes;
    const signed = await signRequest(vonage, { keys: key, body: "{}" });
    const { verify } = createVerifier(vonage, { keys: key });
    const token = signed.headers.authorization?.slice("Bearer ".length);
    await verify({ ...signed, headers: { authorization: `bearer   ${token}` } });
    await expect(verify({ ...signed, headers: { authorization: `bearer ${token} x` } })).rejects.toMatchObject({
      code: "header_malformed",
    });
  });
});

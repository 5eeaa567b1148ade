import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { readContent } from "../src/content.ts";
import { createVerifier, type Scheme, signRequest } from "../src/index.ts";
import { multipartObject } from "../src/multipart.ts";
import { bytes } from "./support.ts";
import { p256, pem } from "./vectors/vector.ts";

const secret = "a secret that only the two know";
const url = "https://hooks.example.com/in?order=42&note=a%20b";
const form = "application/x-www-form-urlencoded";

const read = (body: string | Uint8Array, contentType?: string): unknown => {
  const found = readContent(
    typeof body === "string" ? bytes(body) : body,
    contentType === undefined ? {} : { "content-type": contentType },
  );
  // Fields have no prototype.
  return typeof found === "object" && found !== null && !Array.isArray(found) ? { ...found } : found;
};

const lines = (...all: readonly string[]): string => all.join("\r\n");
const multipart = lines(
  "a preamble that means nothing",
  "--b-1",
  'Content-Disposition: form-data; name="from"',
  "",
  "Ann <ann@example.com>",
  "--b-1",
  'content-disposition: form-data; name="to"',
  "",
  "--b-2\r\nnot a border: --b-1",
  "--b-1  ",
  'Content-Disposition: form-data; name="attachment"; filename="a %22b%22.pdf"',
  "Content-Type: application/pdf",
  "",
  "%PDF",
  "--b-1",
  'Content-Disposition: form-data; name="attachment"; filename="c\\"d.txt"',
  "",
  "",
  "--b-1--",
  "an epilogue",
);
const fields = {
  from: "Ann <ann@example.com>",
  to: "--b-2\r\nnot a border: --b-1",
  attachment: [
    { name: 'a "b".pdf', type: "application/pdf", size: 4 },
    { name: 'c"d.txt', type: "", size: 0 },
  ],
};

describe("a body is read as its content type says", () => {
  const table: readonly [what: string, body: string, type: string | undefined, payload: unknown][] = [
    ["JSON", '{"a":1}', "application/json; charset=utf-8", { a: 1 }],
    ["JSON of a vendor", '{"a":1}', "application/vnd.api+json", { a: 1 }],
    ["a JSON text", '"x"', "application/json", "x"],
    ["a JSON text of no type", '"x"', undefined, "x"],
    ["JSON that is called text", '[{"a":1}]', "text/plain; charset=UTF-8", [{ a: 1 }]],
    ["JSON of no type", ' {"a":1}', undefined, { a: 1 }],
    ["what is called JSON and is none", "a=1", "application/json", undefined],
    ["a form", "a=1&b=x+y&b=2", form, { a: "1", b: ["x y", "2"] }],
    ["a form of no type", "a=1", undefined, { a: "1" }],
    ["a form that looks like JSON", "[a]=1", `${form}; charset=utf-8`, { "[a]": "1" }],
    ["XML", "<a/>", "text/xml", undefined],
    ["XML of no type", "<a/>", undefined, undefined],
    ["XML as a vendor calls it", "<a/>", "application/vnd.x+xml", undefined],
    ["text", "hello", "text/plain", undefined],
    ["multipart", multipart, 'multipart/form-data; boundary="b-1"', fields],
    ["multipart of a bare boundary", multipart, "Multipart/Form-Data; charset=utf-8; boundary=b-1", fields],
    ["multipart of no type", multipart.slice(multipart.indexOf("--b-1")), undefined, fields],
    ["multipart of another boundary", multipart, "multipart/form-data; boundary=other", undefined],
    ["nothing", "", undefined, undefined],
    ["an empty form", "", form, undefined],
  ];

  test.each(table)("%s", (_, body, type, payload) => {
    expect(read(body, type)).toEqual(payload);
  });

  test("fields that are not UTF-8 are told like a file", () => {
    const part = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n'),
      Buffer.from([0xe9, 0x21]),
      Buffer.from("\r\n--b--"),
    ]);
    expect(read(part, "multipart/form-data; boundary=b")).toEqual({ text: { name: "", type: "", size: 2 } });
  });

  test("a thousand parts are read, and not one more", () => {
    const parts = (count: number) =>
      bytes(`${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count)}--b--`);
    expect(multipartObject(parts(1000), "multipart/form-data; boundary=b")?.a).toHaveLength(1000);
    expect(multipartObject(parts(1001), "multipart/form-data; boundary=b")).toBeUndefined();
  });

  test("what is cut off anywhere is not read", () => {
    const whole = bytes(multipart);
    const end = multipart.indexOf("--b-1--") + "--b-1--".length;
    for (let length = 0; length < end; length++)
      expect(multipartObject(whole.subarray(0, length), "multipart/form-data; boundary=b-1")).toBeUndefined();
    expect(multipartObject(whole.subarray(0, end), "multipart/form-data; boundary=b-1")).toBeDefined();
  });

  test("what a client writes is what is read", async () => {
    const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => /^[^"\\%\r\n;]+$/.test(text));
    // Lone surrogates cannot be sent.
    const value = fc
      .string({ unit: "binary", maxLength: 20 })
      .map((text) => Buffer.from(text.replace(/\r?\n|\r/g, " ")).toString());
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.tuple(name, fc.oneof(value, fc.uint8Array({ maxLength: 30 }))), {
        selector: ([key]) => key,
        maxLength: 5,
      }),
      async (sent) => {
        const data = new FormData();
        for (const [key, content] of sent)
          if (typeof content === "string") data.set(key, content);
          else data.set(key, new File([new Uint8Array(content)], "f.bin", { type: "image/png" }));
        const request = new Request("https://hooks.example.com/", { method: "POST", body: data });
        const found = read(new Uint8Array(await request.arrayBuffer()), request.headers.get("content-type") ?? "");
        expect(found).toEqual(
          Object.fromEntries(
            sent.map(([key, content]) => [
              key,
              typeof content === "string" ? content : { name: "f.bin", type: "image/png", size: content.length },
            ]),
          ),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});

describe("what senders send that is not JSON", () => {
  const verified = async (scheme: Scheme, body: string, type: string, keys = secret) => {
    const signed = await signRequest(scheme, { keys, url, body, headers: { "content-type": type }, id: "id-1" });
    return createVerifier(scheme, { keys, url }).verify(signed);
  };

  test.each(["token", "basic-auth", "zendesk", "docusign"] as const)("%s: form, multipart and XML", async (name) => {
    const keys = name === "basic-auth" ? "user:a long password of many" : "a-secret-that-only-the-two-know";
    const scheme = schemes[name];
    expect((await verified(scheme, "a=1", form, keys)).payload).toEqual({ a: "1" });
    const parts = await verified(scheme, multipart, "multipart/form-data; boundary=b-1", keys);
    expect({ ...(parts.payload as object) }).toEqual(fields);
    const xml = await verified(scheme, "<a/>", "text/xml", keys);
    expect(xml.payload).toBeUndefined();
    expect(xml.depth).toBeUndefined();
    expect(xml.body).toEqual(bytes("<a/>"));
    expect(scheme.json).toBe("usual");
  });

  test("a body that is called a form is not taken for JSON", async () => {
    const delivery = await verified(schemes.token, '{"id":"1"}', form, "a-secret-that-only-the-two-know");
    expect(delivery.depth).toBeUndefined();
    expect({ ...(delivery.payload as object) }).toEqual({ '{"id":"1"}': "" });
  });

  test("sendgrid signs mail that it passes on like its events", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=b-1" };
    const signed = await signRequest(schemes.sendgrid, { keys: pem(p256.privateKey), body: multipart, headers });
    const delivery = await createVerifier(schemes.sendgrid, { keys: pem(p256.publicKey) }).verify(signed);
    expect({ ...(delivery.payload as object) }).toEqual(fields);
    expect(delivery.items).toBeUndefined();
  });

  test("mailgun signs routes and older webhooks in fields of a form", async () => {
    const { mailgun } = schemes;
    const signed = await signRequest(mailgun, { keys: secret, body: "{}" });
    const { signature } = JSON.parse(Buffer.from(signed.body).toString());
    const sent = { ...signature, event: "opened", recipient: "ann@example.com" };
    const { verify } = createVerifier(mailgun, { keys: secret });
    const data = new FormData();
    for (const [name, value] of Object.entries(sent)) data.set(name, String(value));
    data.set("attachment-1", new File(["%PDF"], "a.pdf", { type: "application/pdf" }));
    for (const body of [new URLSearchParams(sent), data]) {
      const request = () => new Request(url, { method: "POST", body });
      const delivery = await verify(request());
      expect(delivery).toMatchObject({ id: signature.token, type: "opened", dedupeKey: signature.token });
      expect(delivery.covered).toEqual(["timestamp", "id", "field:token"]);
      expect(delivery.payload).toMatchObject({ recipient: "ann@example.com" });
    }
    const forged = new URLSearchParams({ ...sent, timestamp: "1" });
    await expect(verify(new Request(url, { method: "POST", body: forged }))).rejects.toMatchObject({
      code: "signature_mismatch",
    });
    await expect(verify({ headers: { "content-type": form }, body: "a=1" })).rejects.toMatchObject({
      code: "signature_missing",
    });
  });

  test.each(["twilio", "hubspot-v2"] as const)("%s: a signed query is the payload of a GET", async (name) => {
    const scheme = schemes[name];
    const signed = await signRequest(scheme, { keys: secret, method: "GET", url, body: "" });
    const delivery = await createVerifier(scheme, { keys: secret }).verify(signed);
    expect({ ...(delivery.payload as object) }).toEqual({ order: "42", note: "a b" });
    expect(delivery.body).toEqual(bytes("order=42&note=a%20b"));
  });

  test("a query that is not signed is no payload", async () => {
    const keys = "a-secret-that-only-the-two-know";
    const signed = await signRequest(schemes.token, { keys, method: "GET", url, body: "" });
    const delivery = await createVerifier(schemes.token, { keys }).verify(signed);
    expect(delivery.payload).toBeUndefined();
    expect(delivery.body).toHaveLength(0);
  });
});

describe("methods", () => {
  const named = Object.values<Scheme>(schemes).filter(({ methods }) => methods?.includes("HEAD"));
  const verifierOf = (scheme: Scheme) =>
    createVerifier(scheme, { keys: [{ key: secret, algorithm: scheme.key.algorithms[0] } as never] });

  test("a HEAD is answered where the scheme names it", async () => {
    expect(named.map(({ name }) => name)).toEqual(["circle", "intercom", "mandrill", "moneybird", "trello"]);
    for (const scheme of named.filter(({ key }) => key.secret === true))
      expect(await verifierOf(scheme).handshake({ method: "HEAD", headers: {} })).toEqual({
        status: 200,
        headers: {},
        body: "",
      });
    expect(await verifierOf(schemes.stripe).handshake({ method: "HEAD", headers: {} })).toBeUndefined();
  });
});

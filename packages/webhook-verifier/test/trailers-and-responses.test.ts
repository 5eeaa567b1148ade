import { createHash, sign as signBytes } from "node:crypto";
import { createServer, request as nodeRequest } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { createSigner, httpbis } from "http-message-signatures";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, handleNodeWebhook, type WebhookRequest } from "../src/index.ts";
import { expectRefusal, now } from "./support.ts";
import { ed25519 } from "./vectors/vector.ts";

const pair = ed25519(7);
const digestOf = (body: string): string => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;

const verifierOf = (components: readonly string[]) =>
  createVerifier(schemes.rfc9421, { keys: pair.raw, now: () => now, settings: { components } });

/** The two headers of a signature over these lines, written without the code under test. */
const signed = (lines: readonly (readonly [component: string, value: string])[]) => {
  const params = `(${lines.map(([component]) => component).join(" ")});created=${now / 1000}`;
  const base = [...lines.map((line) => line.join(": ")), `"@signature-params": ${params}`].join("\n");
  const signature = signBytes(null, Buffer.from(base), pair.privateKey).toString("base64");
  return { "signature-input": `sig=${params}`, signature: `sig=:${signature}:` };
};

describe("a signed response", () => {
  // RFC 9421, 2.4 and B.2.4, with the key of B.1.3.
  const key = {
    id: "test-key-ecc-p256",
    algorithm: "ecdsa-p256-sha256",
    key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----`,
  } as const;
  const request = {
    method: "POST",
    url: "https://example.com/foo?param=Value&Pet=dog",
    headers: {
      date: "Tue, 20 Apr 2021 02:07:55 GMT",
      "content-type": "application/json",
      "content-digest":
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "content-length": "18",
    },
  };
  const response = {
    status: 503,
    headers: {
      date: "Tue, 20 Apr 2021 02:07:56 GMT",
      "content-type": "application/json",
      "content-digest":
        "sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:",
      "content-length": "62",
    },
    body: '{"busy": true, "message": "Your call is very important to us"}',
  };
  const covering = {
    "the request's target and digest": [
      '"@status" "content-digest" "content-type" "@authority";req "@method";req "@path";req "content-digest";req',
      "dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==",
    ],
    "the request's query and fields, too": [
      '"@status" "content-digest" "content-type" "@authority";req "@method";req "@path";req "@query";req "content-digest";req "content-type";req "content-length";req',
      "C73J41GVKc+TYXbSobvZf0CmNcptRiWN+NY1Or0A36ISg6ymdRN6ZgR2QfrtopFNzqAyv+CeWrMsNbcV2Ojsgg==",
    ],
  } as const;
  const at = 1618884479000;
  const verifier = createVerifier(schemes.rfc9421, {
    keys: key,
    now: () => at,
    settings: { components: ["@status", "content-digest", '"@method";req', '"content-digest";req'] },
  });

  for (const [name, [components, signature]] of Object.entries(covering)) {
    const message = {
      ...response,
      headers: {
        ...response.headers,
        "signature-input": `reqres=(${components});created=1618884479;keyid="test-key-ecc-p256"`,
        signature: `reqres=:${signature}:`,
      },
      request,
    };
    test(`of the RFC is accepted that covers ${name}`, async () => {
      const { covered } = await verifier.verify(message);
      expect(covered).toContain("body");
      expect(covered).toContain("header:@method;req");
      expect(covered).not.toContain("method");
    });

    test(`of the RFC that covers ${name} is refused for another request, status or body`, async () => {
      for (const other of [
        { request: { ...request, method: "PUT" } },
        { request: { ...request, url: "https://example.com/bar?param=Value&Pet=dog" } },
        { request: { ...request, headers: { ...request.headers, "content-digest": digestOf("other") } } },
        { status: 200 },
      ])
        await expectRefusal(verifier.verify({ ...message, ...other }), "signature_mismatch");
      await expectRefusal(verifier.verify({ ...message, body: `${response.body} ` }), "digest_mismatch");
    });
  }

  test("of B.2.4 is accepted without a request", async () => {
    await createVerifier(schemes.rfc9421, {
      keys: key,
      now: () => 1618884473000,
      settings: { components: ["@status", "content-digest"] },
    }).verify({
      status: 200,
      headers: {
        "content-type": "application/json",
        "content-digest":
          "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
        "content-length": "23",
        "signature-input":
          'sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
        signature: "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:",
      },
      body: '{"message": "good dog"}',
    });
  });

  test("must cover the status, the body and what was requested unless you say otherwise", async () => {
    const lines = [
      ["@status", "200"],
      ['"@method";req', "POST"],
      ['"@target-uri";req', request.url],
      ["content-digest", digestOf("{}")],
    ] as const;
    const receive = (kept: (typeof lines)[number][]) =>
      createVerifier(schemes.rfc9421, { keys: pair.raw, now: () => now }).verify({
        status: 200,
        headers: {
          "content-digest": digestOf("{}"),
          ...signed(kept.map(([name, value]) => [name.startsWith('"') ? name : `"${name}"`, value])),
        },
        body: "{}",
        request,
      });
    await receive([...lines]);
    for (const left of lines) await expectRefusal(receive(lines.filter((line) => line !== left)), "claim_mismatch");
  });

  test("that covers only the request's digest covers no body", async () => {
    const digest = digestOf("{}");
    const { verify } = verifierOf(['"content-digest";req']);
    const headers = { "content-digest": digest, ...signed([['"content-digest";req', digest]]) };
    const { covered } = await verify({ status: 200, headers, body: "other", request: { headers } });
    expect(covered).toEqual(["timestamp", "header:content-digest;req"]);
  });

  test("of another implementation is accepted", async () => {
    const answer = { status: 200, headers: { "content-digest": digestOf("{}") } };
    const components = ["@status", "content-digest", "@method;req", "@path;req", "content-digest;req"];
    const { headers } = await httpbis.signMessage(
      {
        key: createSigner(pair.privateKey, "ed25519", "k1"),
        fields: components,
        params: ["created", "keyid", "alg"],
        paramValues: { created: new Date(now) },
      },
      answer,
      request,
    );
    const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const received = { ...answer, headers: lowered as Record<string, string>, body: "{}", request };
    const { verify } = verifierOf(["@status", "content-digest", '"@method";req']);
    await verify(received);
    await expectRefusal(verify({ ...received, request: { ...request, method: "PUT" } }), "signature_mismatch");
  });
});

describe("signed trailers", () => {
  const body = '{"id":"evt_1"}';
  const trailers = { "content-digest": digestOf(body), "x-checked": " yes  " };
  const message = {
    method: "POST",
    url: "https://h.example.com/in",
    headers: {
      ...signed([
        ['"@method"', "POST"],
        ['"content-digest";tr', trailers["content-digest"]],
        ['"x-checked";tr', "yes"],
      ]),
      "x-checked": "no",
    },
    body,
    trailers,
  };

  test("are accepted, and a digest among them covers the body", async () => {
    const { verify } = verifierOf(["@method", '"content-digest";tr']);
    const { covered } = await verify(message);
    expect(covered).toEqual([
      "timestamp",
      "method",
      "header:content-digest;tr",
      "header:x-checked;tr",
      "body",
      "id",
      "type",
    ]);
    await expectRefusal(verify({ ...message, body: "{}" }), "digest_mismatch");
    await expectRefusal(verify({ ...message, trailers: { ...trailers, "x-checked": "no" } }), "signature_mismatch");
    await expectRefusal(
      verify({ ...message, trailers: { "content-digest": trailers["content-digest"] } }),
      "header_missing",
    );
  });

  test("count for no header of the same name", async () => {
    await expectRefusal(verifierOf(["content-digest"]).verify(message), "claim_mismatch");
  });

  test("arrive through node:http, where they follow the body", async () => {
    const refusals: string[] = [];
    const { verify } = verifierOf(["@method", '"content-digest";tr']);
    const verifier = { ...createVerifier(schemes.rfc9421, { keys: pair.raw }), verify };
    const server = createServer(
      handleNodeWebhook(verifier, () => undefined, { onRefused: ({ message }) => refusals.push(message) }),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    // A server that listens on TCP has such an address.
    const { port } = server.address() as AddressInfo;
    const send = (sent: Readonly<Record<string, string>>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const out = nodeRequest(
          { port, method: "POST", headers: { ...message.headers, trailer: Object.keys(sent).join() } },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
        out.on("error", reject);
        out.write(body);
        out.addTrailers(sent);
        out.end();
      });
    expect(await send(trailers)).toBe(200);
    expect(await send({ ...trailers, "x-checked": "no" })).toBe(401);
    expect(refusals).toHaveLength(1);
    await new Promise((done) => server.close(done));
  });
});

describe("a component that cannot be had", () => {
  const names = async (component: string, message: WebhookRequest | Request): Promise<string> => {
    const error = await verifierOf([component])
      .verify(message)
      .then(
        () => undefined,
        (thrown: Error & { code: string }) => thrown,
      );
    expect(error).toMatchObject({ code: "request_incomplete" });
    return error?.message ?? "";
  };

  test("is named in the refusal, with what to give", async () => {
    const over = (component: string) => ({ headers: signed([[component, "x"]]), body: "" });
    expect(await names('"a";tr', over('"a";tr'))).toBe(
      'The signature covers "a";tr: give `trailers`. A web Request and AWS Lambda have none to give.',
    );
    expect(await names('"@path";req', over('"@path";req'))).toBe(
      'The signature covers "@path";req: give `request`, the request that this response answers.',
    );
    expect(await names("@status", over('"@status"'))).toBe(
      'The signature covers "@status": give the `status` of the response.',
    );
    const { headers } = over('"a";tr');
    const web = new Request("https://h.example.com/", { method: "POST", headers, body: "{}" });
    expect(await names('"a";tr', web)).toContain('"a";tr');
  });

  test("is refused, and never read from a value of another type", async () => {
    // What callers without types can give.
    const odd = [null, 5, "x", true, [], {}, { headers: null }, { headers: 5 }, { headers: { a: 5 } }, () => 1];
    for (const component of ['"a";tr', '"a";req', '"@path";req', '"@method";req', '"a";tr;req', '"@status"', '"a"'])
      for (const given of odd)
        for (const part of ["trailers", "request", "status"]) {
          const message = { headers: { ...signed([[component, "x"]]), a: [5] }, body: "", [part]: given };
          const outcome = verifierOf([component]).verify(message as unknown as WebhookRequest);
          await expect(outcome).rejects.toMatchObject({ name: "WebhookVerificationError" });
        }
  });
});

test("every component is read from its own place and from no other", async () => {
  const text = fc.string({ unit: fc.constantFrom(..."abc 1,="), maxLength: 8 });
  const fields = fc.dictionary(fc.constantFrom("a", "b", "c"), text, { noNullPrototype: true });
  const places = fc.record({ headers: fields, trailers: fields, asked: fields, askedTrailers: fields });
  const suffixes = { headers: "", trailers: ";tr", asked: ";req", askedTrailers: ";tr;req" } as const;
  type Place = keyof typeof suffixes;
  // Object.keys gives exactly the members of the literal.
  const all = Object.keys(suffixes) as Place[];
  await fc.assert(
    fc.asyncProperty(places, fc.constantFrom(...all), fc.constantFrom("a", "b", "c"), async (parts, place, name) => {
      const component = `"${name}"${suffixes[place]}`;
      const value = parts[place][name];
      const of = (given: typeof parts): WebhookRequest => ({
        status: 200,
        headers: { ...given.headers, ...signed([[component, (value ?? "").trim()]]) },
        trailers: given.trailers,
        request: { headers: given.asked, trailers: given.askedTrailers },
        body: "",
      });
      const { verify } = verifierOf([component]);
      if (value === undefined) return expectRefusal(verify(of(parts)), "header_missing");
      await verify(of(parts));
      for (const changed of all) {
        const other = of({ ...parts, [changed]: { ...parts[changed], [name]: `${parts[changed][name] ?? ""}!` } });
        if (changed === place) await expectRefusal(verify(other), "signature_mismatch");
        else await verify(other);
      }
    }),
    { numRuns: 150 },
  );
});

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findScheme, schemes } from "../../src/all-schemes.ts";
import {
  createVerifier,
  type RequestLike,
  type Scheme,
  sign,
  signRequest,
  type WebhookRequest,
  WebhookVerificationError,
} from "../../src/index.ts";
import { extend } from "../length-extension.ts";
import { expectRefusal, now } from "../support.ts";
import { pem, rsa } from "../vectors/vector.ts";

const keys = "a secret that only the two know";
const clock = { now: () => now };
const kib = 1024;
const mib = 1024 * kib;

/** A request whose body never ends, and how much of it was read. */
const endless = (pieceBytes: number) => {
  const state = { taken: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        state.taken += pieceBytes;
        controller.enqueue(new Uint8Array(pieceBytes));
      },
      cancel: () => {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("https://hooks.example.com/", {
    method: "POST",
    headers: { "x-slack-signature": "v0=00" },
    body,
    duplex: "half",
  } as RequestInit);
  return { state, request };
};

export const underAttack = (): void => {
  describe("bodies", () => {
    test("that are streams are read up to the limit and no further", async () => {
      for (const pieceBytes of [64 * kib, 1000, 3 * mib]) {
        const { state, request } = endless(pieceBytes);
        await expectRefusal(createVerifier(schemes.slack, { keys }).verify(request), "body_too_large");
        expect(state.taken).toBeLessThanOrEqual(mib + 2 * pieceBytes);
        expect(state.cancelled).toBe(true);
      }
      const { state, request } = endless(1000);
      await expectRefusal(
        createVerifier(schemes.slack, { keys, maxBodyBytes: 5000 }).handshake(request),
        "body_too_large",
      );
      expect(state.taken).toBeLessThan(10_000);
    });

    test("that are streams of many small pieces are put together as they came", async () => {
      const body = JSON.stringify({ id: "1", text: "ü".repeat(5000) });
      const bytes = new TextEncoder().encode(body);
      const headers = await sign(schemes.github, { keys, body });
      const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
      const stream = new ReadableStream({
        start: (controller) => {
          for (const piece of [new Uint8Array(0), ...pieces]) controller.enqueue(piece);
          controller.close();
        },
      });
      const request = new Request("https://h.example.com/", {
        method: "POST",
        headers: { ...headers },
        body: stream,
        duplex: "half",
      } as RequestInit);
      expect((await createVerifier(schemes.github, { keys }).verify(request)).body).toEqual(bytes);
    });

    test("that say that they are too long are not read at all", async () => {
      const request = {
        method: "POST",
        url: "https://h.example.com/",
        headers: new Headers({ "content-length": String(mib + 1) }),
        arrayBuffer: () => Promise.reject(new Error("read")),
      };
      await expectRefusal(createVerifier(schemes.slack, { keys }).verify(request), "body_too_large");
    });

    test("have a limit of their scheme's, 1 MiB or the one given, whatever form they come in", async () => {
      const limitOf = async (scheme: Scheme, maxBodyBytes?: number): Promise<number> => {
        const settings = scheme === schemes["aws-sns"] ? { topics: ["t"] } : undefined;
        const key = scheme.key.secret ? keys : pem(rsa.publicKey);
        const verifier = createVerifier(scheme, { keys: key, settings, maxBodyBytes });
        const accepts = async (length: number): Promise<boolean> => {
          const codes = await Promise.all(
            [new Uint8Array(length), " ".repeat(length)].map((body) =>
              verifier.verify({ headers: {}, body }).catch(({ code }) => code as string),
            ),
          );
          expect(codes[0] === "body_too_large").toBe(codes[1] === "body_too_large");
          return codes[0] !== "body_too_large";
        };
        for (const length of [10, 256 * kib, mib, 25 * mib])
          if ((await accepts(length)) && !(await accepts(length + 1))) return length;
        return Number.NaN;
      };
      expect(await limitOf(schemes.github)).toBe(25 * mib);
      expect(await limitOf(schemes["aws-sns"])).toBe(256 * kib);
      expect(await limitOf(schemes.slack)).toBe(mib);
      expect(await limitOf(schemes.github, 10)).toBe(10);
      expect(await limitOf(schemes.slack, 25 * mib)).toBe(25 * mib);
    });
  });

  describe("bodies that are read before their signature is checked", () => {
    // Members and fields cost most to read when each has another name.
    const many = (count: number, write: (name: string) => string, between: string): string =>
      Array.from({ length: count }, (_, n) => write(`f${n}`)).join(between);
    const form = (count: number): string => many(count, (name) => `${name}=1`, "&");
    const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
    const signature = encodeURIComponent("A".repeat(344));
    const forms = {
      braintree: {
        url: "https://h.example.com/",
        headers: urlencoded,
        behind: "&bt_payload=AA%3D%3D&bt_signature=a%7C00",
      },
      "dropbox-sign": { url: "https://h.example.com/", headers: urlencoded, behind: "" },
      mandrill: { url: "https://h.example.com/", headers: { "x-mandrill-signature": "AAAA" }, behind: "" },
      "paddle-classic": { url: "https://h.example.com/", headers: urlencoded, behind: `&p_signature=${signature}` },
      plivo: {
        url: "https://h.example.com/",
        headers: { "x-plivo-signature-v3": "AAAA", "x-plivo-signature-v3-nonce": "1" },
        behind: "",
      },
      twilio: { url: "https://h.example.com/", headers: { ...urlencoded, "x-twilio-signature": "AAAA" }, behind: "" },
    } as const;
    for (const [name, { url, headers, behind }] of Object.entries(forms))
      test(`may have 1,000 fields and no more: ${name}`, async () => {
        const scheme = findScheme(name);
        const verifier = createVerifier(scheme, { keys: scheme.key.secret ? keys : pem(rsa.publicKey) });
        const own = behind.split("&").length - 1;
        const verdict = (fields: number): Promise<string> =>
          verifier.verify({ method: "POST", url, headers, body: form(fields - own) + behind }).then(
            () => "accepted",
            ({ code }) => code,
          );
        expect(await verdict(1001)).toBe("body_too_large");
        expect(await verdict(1000)).toMatch(/^(signature_mismatch|body_malformed)$/);
      });

    test("may have 20,000 members and no more", async () => {
      const object = (count: number): string => `{${many(count, (name) => `"${name}":1`, ",")}}`;
      for (const name of ["adyen", "dropbox-sign", "figma", "mailgun"] as const) {
        const scheme = findScheme(name);
        const verifier = createVerifier(scheme, { keys: name === "adyen" ? "00".repeat(32) : keys });
        for (const body of [object(20_001), `[${"[".repeat(20_000)}`, `[${"{},".repeat(20_000)}1]`])
          await expectRefusal(verifier.verify({ headers: {}, body }), "body_too_large");
        const code = await verifier.verify({ headers: {}, body: object(19_999) }).catch((error) => error.code);
        expect(code).not.toBe("body_too_large");
      }
    });

    test("are no handshakes if they are longer than 64 KiB", async () => {
      const slack = createVerifier(schemes.slack, { keys, ...clock });
      const body = JSON.stringify({ type: "url_verification", challenge: "c", more: "x".repeat(64 * kib) });
      const headers = await sign(schemes.slack, { keys, body, timestamp: now });
      expect(await slack.handshake({ method: "POST", headers, body })).toBeUndefined();
    });

    test("have no payload if they are authentic forms with too many fields", async () => {
      for (const name of ["slack", "github"] as const) {
        const headers = await sign(schemes[name], { keys, body: form(1001), timestamp: now });
        const delivery = await createVerifier(schemes[name], { keys, ...clock }).verify({ headers, body: form(1001) });
        expect(delivery.payload).toBeUndefined();
      }
    });

    test("have no payload if they are authentic forms whose JSON has more than 100,000 values", async () => {
      const lengthOf = async (values: number): Promise<number | undefined> => {
        const body = `payload=${encodeURIComponent(`[${"0,".repeat(values - 1)}0]`)}`;
        const headers = await sign(schemes.github, { keys, body });
        const { payload } = await createVerifier(schemes.github, { keys }).verify({ headers, body });
        return Array.isArray(payload) ? payload.length : undefined;
      };
      expect(await lengthOf(100_000)).toBe(100_000);
      expect(await lengthOf(100_001)).toBeUndefined();
    });

    test("keep blanks, plus signs and letters beyond ASCII of a form", async () => {
      const body = "text=a+b%2Bc%20d+%C3%BC+\u00fc&empty=&empty";
      const headers = await sign(schemes.slack, { keys, body, timestamp: now });
      const { payload } = await createVerifier(schemes.slack, { keys, ...clock }).verify({ headers, body });
      expect(payload).toEqual({ text: "a b+c d ü ü", empty: ["", ""] });
    });
  });

  describe("HubSpot's plain hashes", () => {
    const secret = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy";
    const url = "https://www.example.com/webhook_uri";
    const genuine = '[{"eventId":1}]';
    const attempts = {
      "hubspot-v1": { signed: genuine, request: { method: "POST", url } },
      "hubspot-v2": { signed: `POST${url}${genuine}`, request: { method: "POST", url } },
    } as const;
    for (const [name, { signed, request }] of Object.entries(attempts))
      test(`of ${name} do not let a body be made longer without the secret`, async () => {
        const verifier = createVerifier(findScheme(name), { keys: secret });
        const digest = createHash("sha256").update(secret).update(signed).digest("hex");
        await verifier.verify({ ...request, headers: { "x-hubspot-signature": digest }, body: genuine });
        for (const tail of ['[{"eventId":2}]', "", "x".repeat(200)]) {
          const forged = extend(digest, secret.length + Buffer.byteLength(signed), tail);
          const body = Buffer.concat([Buffer.from(genuine), forged.added]);
          // The forged signature is right. Only the form of the body shows the forgery.
          const prefix = signed.slice(0, -genuine.length);
          expect(createHash("sha256").update(secret).update(prefix).update(body).digest("hex")).toBe(forged.digest);
          await expectRefusal(
            verifier.verify({ ...request, headers: { "x-hubspot-signature": forged.digest }, body }),
            "body_malformed",
          );
        }
      });
  });

  describe("input of a wrong type", () => {
    const wrong = [undefined, null, 5, "text", true, {}, [], Symbol("s"), () => undefined, new Map()];
    test("is refused as a verification error, for every scheme", async () => {
      for (const scheme of Object.values<Scheme>(schemes)) {
        const settings = Object.fromEntries(
          Object.entries(scheme.settings ?? {}).flatMap(([name, { required }]) => (required ? [[name, "x"]] : [])),
        );
        const verifier = createVerifier(scheme, { keys: { find: () => [] }, settings, ...clock });
        const requests: unknown[] = [
          ...wrong,
          ...wrong.map((headers) => ({ headers, body: "{}" })),
          ...wrong.map((body) => ({ headers: {}, body })),
          ...wrong.map((url) => ({ headers: {}, url, body: "{}" })),
          ...wrong.map((method) => ({ headers: {}, method, body: "{}" })),
          ...wrong.map((body) => ({ headers: {}, arrayBuffer: async () => body })),
          ...wrong.map((body) => ({ headers: new Headers(), body, arrayBuffer: async () => body })),
          ...wrong.map((get) => ({ headers: { get }, body: "{}" })),
          { headers: new Proxy({}, { ownKeys: () => [] }), body: "{}" },
        ];
        for (const request of requests)
          for (const attempt of [verifier.verify, verifier.handshake]) {
            const outcome = await attempt(request as WebhookRequest | RequestLike).catch((error: unknown) => error);
            if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WebhookVerificationError);
            else if (attempt === verifier.verify) expect(outcome).toBe("refused");
          }
      }
    });
  });

  describe("numbers that doubles cannot hold", () => {
    const receive = async (scheme: Scheme, body: string) =>
      createVerifier(scheme, { keys, ...clock }).verify(
        await signRequest(scheme, { keys, body, timestamp: now, id: "1" }),
      );

    test("are no ids, so that two events never share a key", async () => {
      const [one, two] = await Promise.all(
        ["9007199254740992", "9007199254740993"].map((id) => receive(schemes.stripe, `{"id":${id}}`)),
      );
      expect([one?.id, two?.id]).toEqual([undefined, undefined]);
      expect(one?.dedupeKey).not.toBe(two?.dedupeKey);
      const exact = await receive(schemes.stripe, '{"id":9007199254740991}');
      expect([exact.id, exact.dedupeKey]).toEqual(["9007199254740991", "9007199254740991"]);
    });

    test("are no ids of items either", async () => {
      const events = '[{"eventId":9007199254740993,"portalId":1},{"eventId":9007199254740992,"portalId":1}]';
      const { items } = await receive(schemes["hubspot-v1"], events);
      expect(items?.map(({ id }) => id)).toEqual([undefined, undefined]);
      expect(new Set(items?.map(({ dedupeKey }) => dedupeKey)).size).toBe(2);
    });
  });

  describe("names of schemes", () => {
    test("are names of schemes only, not members that every object has", () => {
      for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
        expect(name in schemes).toBe(false);
        expect(() => findScheme(name)).toThrow(expect.objectContaining({ code: "scheme_unknown" }));
      }
    });

    test("that do not exist are answered with the nearest that does", () => {
      expect(findScheme("stripe")).toBe(schemes.stripe);
      for (const [name, meant] of Object.entries({
        strpe: "stripe",
        GitHub: "github",
        "aws sns": "aws-sns",
        hubspot: "hubspot-v1",
        standard_webhooks: "standard-webhooks",
      }))
        expect(() => findScheme(name)).toThrow(`did you mean "${meant}"?`);
      for (const name of ["", "no such sender at all", "x".repeat(100_000)])
        expect(() => findScheme(name)).toThrow(/^There is no scheme "[^"]*"\.$/);
      expect(() => findScheme(undefined as unknown as string)).toThrow("There is no scheme");
    });
  });

  test("Google's tokens are refused before their time and with a life of more than an hour", async () => {
    const settings = { audience: "https://h.example.com/", email: "a@b.example" };
    const verifier = createVerifier(schemes["google-pubsub"], { keys: pem(rsa.publicKey), settings, ...clock });
    const seconds = now / 1000;
    const attempt = async (claims: object) => {
      const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const whole = {
        iss: "https://accounts.google.com",
        aud: settings.audience,
        email: settings.email,
        email_verified: true,
        iat: seconds,
        exp: seconds + 3600,
        ...claims,
      };
      const content = `${text({ alg: "RS256" })}.${text(whole)}`;
      const { createSign } = await import("node:crypto");
      const signature = createSign("sha256").update(content).sign(rsa.privateKey, "base64url");
      return verifier.verify({ headers: { authorization: `Bearer ${content}.${signature}` }, body: "{}" });
    };
    await attempt({});
    await attempt({ nbf: seconds });
    await expectRefusal(attempt({ nbf: seconds + 120 }), "timestamp_too_new");
    await expectRefusal(attempt({ exp: seconds + 4000 }), "claim_mismatch");
    await expectRefusal(attempt({ iat: seconds - 86_400 }), "claim_mismatch");
  });
};

import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, signRequest } from "../src/index.ts";
import { payloadOf, readJws } from "../src/jws.ts";
import { at } from "../src/places.ts";
import { pem, rsa } from "./vectors/vector.ts";

const secret = "a secret that only the two know";
const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const url = "https://hooks.example.com/in?data.id=1";

describe("what only one sender does", () => {
  test("sentry signs the requests of alert rules under another header", async () => {
    const { verify } = createVerifier(schemes.sentry, { keys: secret });
    const body = '{"fields":{"title":"An issue"},"installationId":"i1"}';
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "request-id": "r1", "sentry-app-signature": signature };
    expect(await verify({ headers, body })).toMatchObject({ id: "r1", type: undefined });
    await expect(verify({ headers, body: `${body} ` })).rejects.toMatchObject({ code: "signature_mismatch" });
  });

  test("messagebird gives each token an id, which its own package asks for", async () => {
    const { headers } = await signRequest(schemes.messagebird, { keys: secret, url, body: "", id: "m1" });
    expect(at(payloadOf(readJws(headers["messagebird-signature-jwt"] ?? "", "HS256")), "jti")).toBe("m1");
  });

  test("mercado-pago writes the time in seconds", async () => {
    const { headers } = await signRequest(schemes["mercado-pago"], { keys: secret, url, body: "{}", timestamp: now });
    expect(headers["x-signature"]).toMatch(new RegExp(`^ts=${now / 1000},v1=`));
  });

  test("netlify has no id of events", async () => {
    const headers = { "x-netlify-event": "deploy_created" };
    const request = await signRequest(schemes.netlify, { keys: secret, url, body: "{}", headers, id: "n1" });
    expect(Object.values(request.headers)).not.toContain("n1");
    expect((await createVerifier(schemes.netlify, { keys: secret }).verify(request)).id).toBeUndefined();
  });

  test("google-chat is called by a service account of the app where its settings show one", async () => {
    const audience = "https://chat.example.com/in";
    const email = "service-1@gcp-sa-gsuiteaddons.iam.gserviceaccount.com";
    const signed = (settings: Record<string, string>) =>
      signRequest(schemes["google-chat"], { keys: pem(rsa.privateKey), body: "{}", settings, timestamp: now });
    const verify = (settings: Record<string, string>) =>
      createVerifier(schemes["google-chat"], { keys: pem(rsa.publicKey), settings, now: () => now }).verify;
    await verify({ audience, email })(await signed({ audience, email }));
    await verify({ audience })(await signed({ audience }));
    await expect(verify({ audience })(await signed({ audience, email }))).rejects.toMatchObject({
      code: "claim_mismatch",
    });
  });

  test("monday takes the events of an app's own life, which its Client Secret signs", async () => {
    const clientSecret = "the client secret of the same app";
    const body = '{"type":"install","data":{"app_id":1}}';
    const signed = await signRequest(schemes.monday, { keys: clientSecret, body });
    const delivery = await createVerifier(schemes.monday, { keys: [secret, clientSecret] }).verify(signed);
    expect(delivery).toMatchObject({ id: undefined, type: "install", dedupeKey: undefined });
  });

  test("monday's token for another endpoint is refused, whatever a proxy did to the address", async () => {
    const { monday } = schemes;
    const endpoint = "https://hooks.example.com/in/monday";
    const tokenFor = (aud: string | undefined) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ ...(aud !== undefined && { aud }), accountId: 1 })}`;
      return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
    };
    const verdict = (
      aud: string | undefined,
      given: { url?: string | undefined; audience?: string | readonly string[] },
    ) =>
      createVerifier(monday, {
        keys: secret,
        ...(given.audience !== undefined && { settings: { audience: given.audience } }),
      })
        .verify({ headers: { authorization: tokenFor(aud) }, body: '{"event":{}}', url: given.url })
        .then(
          () => "accepted",
          ({ code }) => code,
        );
    const other = "https://other.example.com/in/monday";
    for (const url of [endpoint, "http://hooks.example.com:8080/in/monday?x=1", `${endpoint}/`, undefined])
      expect([url, await verdict(endpoint, { url })]).toEqual([url, "accepted"]);
    for (const url of [other, "https://hooks.example.com/in/other", "https://hooks.example.com"])
      expect([url, await verdict(endpoint, { url })]).toEqual([url, "claim_mismatch"]);
    expect(await verdict(undefined, { url: other })).toBe("accepted");
    expect(await verdict(endpoint, { url: other, audience: [endpoint] })).toBe("accepted");
    expect(await verdict(other, { url: other, audience: endpoint })).toBe("claim_mismatch");
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, handleLambdaWebhook, type LambdaEvent, signRequest } from "../src/index.ts";

/** A delivery of a sender that signs URL and body, as each source of HTTP events hands it over. */
interface Sample {
  readonly sender: { readonly url: string; readonly body: string };
  readonly event: LambdaEvent;
}

const keys = "a secret that only the two know";
const folder = new URL("vectors/lambda/", import.meta.url);
const samples: readonly [string, Sample][] = readdirSync(folder).map((file) => [
  file.replace(/\.json$/, ""),
  JSON.parse(readFileSync(new URL(file, folder), "utf8")),
]);
const receive = handleLambdaWebhook(createVerifier(schemes.square, { keys }), () => undefined);
const refusal = async (event: LambdaEvent): Promise<string | undefined> => {
  let code: string | undefined;
  const onRefused = (error: { code: string }) => {
    code = error.code;
  };
  await handleLambdaWebhook(createVerifier(schemes.square, { keys }), () => undefined, { onRefused })(event);
  return code;
};

test("there is a sample of every source of HTTP events", () => {
  expect(samples.map(([name]) => name)).toEqual([
    "function-url",
    "http-api-1.0",
    "http-api-2.0",
    "load-balancer-multi-value",
    "load-balancer",
    "rest-api",
  ]);
});

const signature = "x-square-hmacsha256-signature";

describe.each(samples)("an event of %s", (name, { event, sender }) => {
  const multiValue = name === "load-balancer-multi-value";
  const encoded = { ...event, body: Buffer.from(sender.body).toString("base64"), isBase64Encoded: true };
  const plain = { ...event, body: sender.body, isBase64Encoded: false };

  test("is verified: headers, the query as the sender wrote it, and the body", async () => {
    expect(await receive(event)).toMatchObject({ statusCode: 200 });
  });

  test("may have its body as text or in base64", async () => {
    expect(await receive(encoded)).toMatchObject({ statusCode: 200 });
    expect(await receive(plain)).toMatchObject({ statusCode: 200 });
    expect(await refusal({ ...plain, body: `${sender.body} ` })).toBe("signature_mismatch");
  });

  test("may have neither query nor body", async () => {
    const { rawQueryString, ...rest } = event;
    const url = sender.url.replace(/\?.*/, "");
    const { headers } = await signRequest(schemes.square, { keys, url, body: "" });
    const value = headers[signature] ?? "";
    const bare: LambdaEvent = {
      ...rest,
      ...(rawQueryString !== undefined && { rawQueryString: "" }),
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
      isBase64Encoded: false,
      ...(event.headers && { headers: { ...event.headers, [signature]: value } }),
      ...(event.multiValueHeaders && { multiValueHeaders: { ...event.multiValueHeaders, [signature]: [value] } }),
    };
    expect(await receive(bare)).toMatchObject({ statusCode: 200 });
  });

  test("is answered in its own form", async () => {
    const wanted = { "x-a": "1", "content-type": "text/plain" };
    const own = handleLambdaWebhook(createVerifier(schemes.square, { keys }), () => ({
      status: 202,
      headers: wanted,
      body: "done",
    }));
    const form = multiValue
      ? { multiValueHeaders: { "x-a": ["1"], "content-type": ["text/plain"] } }
      : { headers: wanted };
    expect(await own(event)).toEqual({ statusCode: 202, ...form, isBase64Encoded: false, body: "done" });
    expect(await receive({ ...plain, body: "{}" })).toEqual({
      statusCode: 401,
      ...(multiValue ? { multiValueHeaders: {} } : { headers: {} }),
      isBase64Encoded: false,
      body: "",
    });
  });

  test("is refused if a header that may come once came twice", async () => {
    if (!event.multiValueHeaders) return;
    const twice = { ...event.multiValueHeaders, [signature]: ["one", "two"] };
    expect(await refusal({ ...event, multiValueHeaders: twice })).toBe("header_repeated");
  });

  test("can be a handshake by GET", async () => {
    const { headers, multiValueHeaders } = event;
    const { rawPath, rawQueryString, requestContext, ...rest } = event;
    const asked: LambdaEvent =
      rawPath !== undefined
        ? { ...rest, rawPath, rawQueryString: "challenge=a%20b", requestContext: { http: { method: "GET" } } }
        : {
            ...rest,
            requestContext,
            httpMethod: "GET",
            ...(headers && { queryStringParameters: { challenge: requestContext?.elb ? "a%20b" : "a b" } }),
            multiValueQueryStringParameters: multiValueHeaders
              ? { challenge: [requestContext?.elb ? "a%20b" : "a b"] }
              : null,
          };
    const dropbox = handleLambdaWebhook(createVerifier(schemes.dropbox, { keys }), () => undefined);
    expect(await dropbox({ ...asked, body: null })).toMatchObject({ statusCode: 200, body: "a b" });
  });
});

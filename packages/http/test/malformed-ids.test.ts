import type { App } from "@postern/app";
import { writtenOut } from "@postern/rest/internal";
import { beforeAll, describe, expect, test } from "vitest";
import { fetchHandler } from "../src/fetch/index.ts";
import { makeApp, signUp } from "../src/testing/app-under-test.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
type Document = any;

/** None of these is an id, a name or a token. */
const malformed: Readonly<Record<string, string>> = {
  "a NUL": "%00",
  "a blank": "%20",
  "a slash": "%2F",
  "a line feed": "%0A",
  "an encoded percent sign": "%2500",
  "a lone surrogate's bytes spelled out": "%25ED%25A0%2580",
  "another alphabet": encodeURIComponent("ñ𝒳"),
  braces: encodeURIComponent("{id}"),
  "a quote": "'%20OR%201=1",
  "a number below 0": "-1",
  "a number that is no whole one": "1.5",
  "a number that no row has": "9".repeat(30),
  "a UUID in capitals": "019A5E2C-7D4B-7C3E-9F10-2B6F8C1D4E5A",
  "a UUID that no row has": "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  "a name of objects": "__proto__",
  "a very long text": "a".repeat(3_000),
};

const queueName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const { app } = makeApp();
const handle = fetchHandler(app);
let token: string;

beforeAll(async () => {
  const fetch = (url: string, init?: RequestInit) => handle(new Request(url, init));
  const signedUp = await signUp({ fetch }, "http://test", "root");
  const principal = { kind: "operator", name: "test" } as const;
  await app.run({ operation: "users.update", principal, params: { id: signedUp.id }, body: { role: "admin" } });
  // Keys of a sender in the configuration cannot be ended, whichever they are.
  const sender = { name: "stored", scheme: "github", key: "a secret of sixteen bytes" };
  await app.run({ operation: "admin.providers.create", principal, body: sender });
  ({ token } = signedUp);
});

const documentOf = (version: App["versions"][number]["id"]): Document =>
  writtenOut(JSON.parse(JSON.stringify(app.openApi(version))));

/** The problems with status 404 that the document lists for an operation. */
const notFoundCodes = ({ responses }: Document): readonly string[] =>
  Array.from(String(responses[404]?.description).matchAll(/`([a-z_]+)`/g), ([, code = ""]) => code);

describe.each(["v1", "v2"] as const)("in %s", (version) => {
  test.each(Object.entries(malformed))("%s in place of an id is the 404 that the document lists", async (_what, id) => {
    const others: string[] = [];
    let asked = 0;
    for (const [path, methods] of Object.entries<Document>(documentOf(version).paths)) {
      for (const [method, operation] of Object.entries<Document>(methods)) {
        const [type, media] = Object.entries<Document>(operation.requestBody?.content ?? {})[0] ?? [];
        for (const [name] of path.matchAll(/\{\w+\}/g)) {
          // The other parameters of the path name something that exists.
          const target = path.replace(name, id).replaceAll(/\{\w+\}/g, (other) => (other === "{id}" ? "me" : "stored"));
          // Each name in the form of a queue's is a queue.
          if (path.startsWith("/admin/queues/") && queueName.test(id)) continue;
          const answer = await handle(
            new Request(`http://test/api/${version}${target}`, {
              method: method.toUpperCase(),
              headers: {
                authorization: `Bearer ${token}`,
                "if-match": "*",
                ...(type === undefined ? {} : { "content-type": type.replace("*/*", "application/json") }),
              },
              ...(type === undefined ? {} : { body: JSON.stringify(media.example ?? {}) }),
            }),
          );
          const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
          asked += 1;
          if (answer.status === 404 && notFoundCodes(operation).includes(String(code))) continue;
          others.push(`${method} ${target.slice(0, 100)} → ${answer.status} ${code}`);
        }
      }
    }
    expect(others).toEqual([]);
    expect(asked).toBeGreaterThan(60);
  });
});

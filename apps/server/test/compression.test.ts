import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readConfig, startServer } from "../src/index.ts";
import type { RunningServer } from "../src/start-server.ts";
import { temporaryDirectory } from "./server-process.ts";

let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

test.each([
  [{}, "br"],
  [{ POSTERN_COMPRESSION: "off" }, null],
])("with the settings %j the document comes in the coding %s", async (more, coding) => {
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "error",
    ...more,
  };
  server = await startServer(readConfig(variables, false), {});
  const answer = await fetch(`${server.url}/api/v2/openapi.json`, { headers: { "accept-encoding": "gzip, br" } });
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, coding]);
  expect(answer.headers.get("vary")).toBe(coding === null ? null : "Accept-Encoding");
  expect(await answer.json()).toMatchObject({ openapi: expect.any(String) });
});

test("a document names the limit of webhooks that the server keeps", async () => {
  const variables = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    PORT: "0",
    LOG_LEVEL: "error",
    POSTERN_WEBHOOK_BODY_LIMIT: "70000",
  };
  server = await startServer(readConfig(variables, false), {});
  const { paths } = (await (await fetch(`${server.url}/api/v2/openapi.json`)).json()) as {
    paths: Record<string, { post: { requestBody: { content: unknown } } }>;
  };
  expect(paths["/webhooks/{provider}"]?.post.requestBody.content).toMatchObject({
    "*/*": { schema: { maxLength: 70_000 } },
  });
  const tooLong = await fetch(`${server.url}/api/webhooks/github`, { method: "POST", body: "x".repeat(70_001) });
  expect(tooLong.status).toBe(413);
});

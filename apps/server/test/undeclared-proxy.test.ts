import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { expect, test } from "vitest";
import { startProcess, temporaryDirectory } from "./server-process.ts";

const secret = "the secret of a sender behind a proxy";
const webhooks = 2_000;
const atOnce = 64;

/** As nginx sends a request if its configuration has `proxy_pass` and nothing else. */
const forward = async (port: number, headers: Record<string, string>, body: string | Uint8Array): Promise<number> => {
  const socket = connect(port, "127.0.0.1");
  const lines = Object.entries({ host: "127.0.0.1", connection: "close", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /api/webhooks/github HTTP/1.0\r\n${head}content-length: ${body.length}\r\n\r\n`);
  socket.write(body);
  const answer = await text(socket);
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
};

test("two thousand webhooks through a proxy that nobody declared are answered 200, and the log says what to set", {
  timeout: 120_000,
}, async () => {
  const directory = temporaryDirectory();
  const { url = "", output } = await startProcess(directory, {
    DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_GITHUB_SECRET: secret,
  });
  const port = Number(new URL(url).port);
  const { headers, body } = await signRequest(github, { keys: secret, body: '{"zen":"Keep it simple"}', type: "ping" });
  const statuses = new Map<number, number>();
  let next = 0;
  const sendAll = async (): Promise<void> => {
    while (next < webhooks) {
      next += 1;
      const status = await forward(port, { ...headers, "x-github-delivery": `delivery-${next}` }, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendAll));
  expect(Object.fromEntries(statuses)).toEqual({ 200: webhooks });
  const warnings = output()
    .split("\n")
    .filter((line) => line.includes("POSTERN_TRUST_PROXY"));
  expect(warnings).toHaveLength(1);
});

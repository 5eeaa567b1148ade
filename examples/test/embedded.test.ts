import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeListener } from "@postern/http/node";
import { sign } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostern } from "../embedded/postern.ts";

const stripeSecret = `whsec_${randomBytes(24).toString("base64")}`;
let directory: string;
let server: Server;
let postern: Awaited<ReturnType<typeof openPostern>>;
let origin: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "postern-embedded-"));
  const database = `sqlite:${join(directory, "app.db")}`;
  postern = await openPostern({ database, secretKey: randomBytes(32), stripeSecret });
  const listener = nodeListener(postern.app);
  server = createServer((request, response) => {
    void listener(request, response, () => response.end("Your own page."));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await postern.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("takes a signed webhook, has its handler run, and leaves the other paths to the application", async () => {
  const body = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", data: { object: {} } });
  const headers = { "content-type": "application/json", ...(await sign(stripe, { keys: stripeSecret, body })) };
  const answer = await fetch(`${origin}/api/webhooks/stripe`, { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toEqual([200, { id: "1", status: "accepted" }]);
  const state = async () => {
    const { body: event } = await postern.app.run({
      operation: "admin.events.read",
      params: { id: "1" },
      principal: { kind: "operator", name: "test" },
    });
    return (event as { state: string }).state;
  };
  await expect.poll(state).toBe("processed");
  expect(await (await fetch(`${origin}/`)).text()).toBe("Your own page.");
});

test("stands in the README of @postern/http as it is here", () => {
  const readme = readFileSync(new URL("../../packages/http/README.md", import.meta.url), "utf8");
  const source = readFileSync(new URL("../embedded/postern.ts", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
});

import { on, Permanent } from "@postern/core";
import { signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { startServer } from "../src/start-server.ts";
import { afterwards, databases } from "./databases.ts";

const secret = "a secret that only the two know";
describe.each(databases)("a dead event on $name", ({ newUrl }) => {
  test("runs once more when many resends come at once", { timeout: 60_000 }, async () => {
    const variables = {
      PORT: "0",
      DATABASE_URL: await newUrl(),
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      WEBHOOK_GITHUB_SECRET: secret,
      WEBHOOK_GITHUB_REPLAY_ON_RESEND: "1",
      LOG_LEVEL: "error",
    };
    const ran: string[] = [];
    let isMended = false;
    const handler = on("github", "*", async ({ id }) => {
      if (!isMended) throw new Permanent("not yet");
      ran.push(id);
    });
    const server = await startServer(readConfig(variables, false), { handlers: [handler] });
    afterwards(() => server.stop());
    const { events, jobRecords } = server.composition.storage;
    const url = `${server.url}/api/webhooks/github`;
    const send = async () => {
      const given = { keys: secret, url, id: "d1", type: "push", body: '{"ref":"main"}' };
      const { method, headers, body } = await signRequest(schemes.github, given);
      const json = { "content-type": "application/json", ...headers };
      const answer = await fetch(url, { method, headers: json, body: Buffer.from(body) });
      return [answer.status, await answer.json()];
    };
    const stateNow = async () => (await events.list({ limit: 1 }))[0]?.state;

    expect(await send()).toMatchObject([200, { status: "accepted" }]);
    await expect.poll(stateNow, { timeout: 20_000 }).toBe("dead");
    isMended = true;
    const told = await Promise.all(Array.from({ length: 12 }, send));
    expect(told).toEqual(told.map(() => [200, expect.objectContaining({ status: "duplicate" })]));
    await expect.poll(stateNow, { timeout: 20_000 }).toBe("processed");
    const jobs = await jobRecords.list({ limit: 10, kind: handler.name });
    expect([jobs.map(({ state }) => state), ran.length]).toEqual([["done", "dead"], 1]);
  });
});

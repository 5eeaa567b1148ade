import { type InboxHandler, on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { startServer } from "../src/start-server.ts";
import { afterwards, databases } from "./databases.ts";

const secret = "a secret that only the two know";
describe.each(databases)("an event that was sent again on $name", ({ newUrl }) => {
  const start = async () => {
    const variables = {
      PORT: "0",
      DATABASE_URL: await newUrl(),
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      WEBHOOK_STRIPE_SECRET: secret,
      WEBHOOK_STRIPE_REPLAY_ON_RESEND: "1",
      LOG_LEVEL: "error",
    };
    return (handlers: readonly InboxHandler[]) => startServer(readConfig(variables, false), { handlers });
  };
  const sendTo = async ({ url }: { readonly url: string | undefined }, body: string) => {
    const given = { keys: secret, url: `${url}/api/webhooks/stripe`, body };
    const { method, headers, body: bytes } = await signRequest(schemes.stripe, given);
    const json = { "content-type": "application/json", ...headers };
    return (await fetch(given.url, { method, headers: json, body: Buffer.from(bytes) })).status;
  };

  test("and had no handler and no body any more runs what was sent, once", { timeout: 60_000 }, async () => {
    const deploy = await start();
    const body = '{"object":"event","id":"evt_1","type":"invoice.paid","data":{"object":{"n":1}}}';
    const before = await deploy([on("stripe", "customer.*", async () => undefined)]);
    expect(await sendTo(before, body)).toBe(200);
    const { events: stored, housekeeping } = before.composition.storage;
    const [event] = await stored.list({ limit: 1 });
    await housekeeping.prune("bodies", (event?.receivedAt ?? 0) + 1, 10);
    expect(await stored.list({ limit: 1 })).toMatchObject([{ state: "ignored", bodyKept: false }]);
    await before.stop();
    const ran: unknown[] = [];
    const server = await deploy([on("stripe", "*", async ({ data }) => void ran.push(data))]);
    afterwards(() => server.stop());
    await Promise.all(Array.from({ length: 12 }, () => sendTo(server, body)));
    const { events, jobRecords } = server.composition.storage;
    await expect.poll(async () => (await events.list({ limit: 1 }))[0]?.state, { timeout: 20_000 }).toBe("processed");
    // Postern's own schedules may have jobs by now as well.
    const ofEvents = (await jobRecords.list({ limit: 10 })).filter(({ eventId }) => eventId !== undefined);
    expect([ran, ofEvents.length]).toEqual([[{ object: { n: 1 } }], 1]);
  });

  test("and is dead, but was overruled, stays dead", { timeout: 60_000 }, async () => {
    let runs = 0;
    const handler = on("stripe", "*", async () => {
      runs += 1;
      throw new Permanent("not yet");
    });
    const server = await (await start())([handler]);
    afterwards(() => server.stop());
    const { events } = server.composition.storage;
    const body = '{"object":"event","id":"evt_2","data":{"object":{"n":1}}}';
    await sendTo(server, body);
    const [event] = await events.list({ limit: 1 });
    expect(event?.state).toBe("quarantined");
    await server.composition.app.run({
      operation: "admin.events.replay",
      principal: { kind: "operator", name: "test" },
      params: { id: String(event?.id) },
      body: { overrule: true, reason: "seen", as_type: "invoice.late" },
    });
    const stateNow = async () => (await events.list({ limit: 1 }))[0]?.state;
    await expect.poll(stateNow, { timeout: 20_000 }).toBe("dead");
    await Promise.all(Array.from({ length: 12 }, () => sendTo(server, body)));
    expect([await stateNow(), runs]).toEqual(["dead", 1]);
  });
});

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

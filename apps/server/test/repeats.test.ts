import { on } from "@postern/inbox";
import { type Scheme, type SignInput, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { type RunningServer, startServer } from "../src/start-server.ts";
import { afterwards, databases } from "./databases.ts";

const secret = "a secret that only the two know";
const senders = {
  dropbox: schemes.dropbox,
  shopify: schemes.shopify,
  btcpay: schemes.btcpay,
  doppler: schemes.doppler,
} satisfies Record<string, Scheme>;

/** A server that takes the deliveries of all these senders and runs no job. */
const serverOn = async (databaseUrl: string): Promise<RunningServer> => {
  const variables = {
    PORT: "0",
    DATABASE_URL: databaseUrl,
    POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    POSTERN_ROLE: "http",
    POSTERN_RATE_LIMIT: "off",
    LOG_LEVEL: "error",
  };
  const names = Object.keys(senders);
  const server = await startServer(readConfig(variables, false), {
    providers: Object.fromEntries(names.map((name) => [name, { secret }])),
    handlers: names.map((provider) => on(provider, "*", async () => undefined)),
  });
  afterwards(() => server.stop());
  return server;
};

interface Case {
  readonly what: string;
  readonly sender: keyof typeof senders;
  readonly deliveries: readonly Omit<SignInput, "keys" | "url">[];
  readonly wants: readonly ("accepted" | "duplicate")[];
}

const notification = '{"list_folder":{"accounts":["dbid:1"]},"delta":{"users":[1]}}';
const change = '{"type":"config.secrets.update","diff":{"updated":["KEY"]}}';
const order = '{"id":1,"note":"paid"}';
const settled = (deliveryId: string): Omit<SignInput, "keys" | "url"> => ({
  body: JSON.stringify({ deliveryId, originalDeliveryId: "d1", type: "InvoiceSettled", invoiceId: "i1" }),
});

const cases: readonly Case[] = [
  {
    what: "every notification of Dropbox is an event, though all have the same body",
    sender: "dropbox",
    deliveries: [{ body: notification }, { body: notification }, { body: notification }],
    wants: ["accepted", "accepted", "accepted"],
  },
  {
    what: "events of Shopify with the same body are told apart by their id",
    sender: "shopify",
    deliveries: ["e1", "e2", "e1"].map((id) => ({ id, type: "orders/updated", body: order })),
    wants: ["accepted", "accepted", "duplicate"],
  },
  {
    what: "a redelivery of BTCPay is a repeat, whatever its own id",
    sender: "btcpay",
    deliveries: [settled("d1"), settled("d2")],
    wants: ["accepted", "duplicate"],
  },
  {
    what: "every change at Doppler is an event",
    sender: "doppler",
    deliveries: [{ body: change }, { body: change }],
    wants: ["accepted", "accepted"],
  },
];

describe.each(databases)("repeats on $name", ({ newUrl }) => {
  test("are what the sender means by them, and only events get jobs", { timeout: 60_000 }, async () => {
    const server = await serverOn(await newUrl());
    const { events, jobRecords } = server.composition.storage;
    for (const { what, sender, deliveries, wants } of cases) {
      const url = `${server.url}/api/webhooks/${sender}`;
      const told: string[] = [];
      for (const delivery of deliveries) {
        const { method, headers, body } = await signRequest(senders[sender], { keys: secret, url, ...delivery });
        const answer = await fetch(url, {
          method,
          headers: { "content-type": "application/json", ...headers },
          body: Buffer.from(body),
        });
        const { status }: { status: string } = JSON.parse(await answer.text());
        told.push(status);
      }
      expect([what, ...told]).toEqual([what, ...wants]);
      const stored = await events.list({ provider: sender, limit: 10 });
      const jobs = await Promise.all(stored.map(({ id }) => jobRecords.list({ eventId: id, limit: 10 })));
      expect([what, jobs.map((of) => of.length)]).toEqual([
        what,
        wants.flatMap((want) => (want === "accepted" ? 1 : [])),
      ]);
    }
  });
});

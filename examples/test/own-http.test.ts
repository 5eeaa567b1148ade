import { type MessagesAdapter, messagesContract } from "@postern/http/testing";
import { describe, test } from "vitest";
import { honoAdapter } from "../own-http/hono-adapter.ts";

let served = 0;
const adapter: MessagesAdapter = async (gateway) => {
  const app = honoAdapter(gateway, () => "127.0.0.1");
  served += 1;
  return {
    origin: `http://postern-${served}.test`,
    fetch: async (url, init) => app.request(url, init),
    close: async () => undefined,
  };
};

/** There are hundreds, and `gatewayFetch` itself passes them all: CI takes every tenth. */
const step = process.env.POSTERN_TEST_LONG === "1" ? 1 : 10;
const promises = Object.entries(messagesContract).filter((_, at) => at % step === 0);

describe("honoAdapter keeps the contract of messages", () => {
  for (const [promise, keep] of promises) test(promise, () => keep(adapter));
});

import { createGateway, type HttpApp } from "@postern/http";
import { describe, expect, test } from "vitest";
import { gatewayFetch } from "../src/fetch/index.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { type MessagesAdapter, messagesContract } from "../src/testing/index.ts";
import { checkAnswer } from "./support/check-answer.ts";

let served = 0;

const fetchAdapter: MessagesAdapter = async (gateway) => {
  const answer = gatewayFetch(gateway);
  served += 1;
  return {
    origin: `http://postern-${served}.test`,
    fetch: (url, init) => answer(new Request(url, init), { address: "127.0.0.1" }),
    close: () => Promise.resolve(),
  };
};

describe("fetch keeps the contract of messages", () => {
  for (const [promise, keep] of Object.entries(messagesContract)) test(promise, () => keep(fetchAdapter, checkAnswer));
});

test("a webhook has the address of its sender, or none if nobody knows it", async () => {
  const addresses: unknown[] = [];
  const app: HttpApp = {
    ...makeApp().app,
    receive: async ({ address }) => {
      addresses.push(address);
      return { status: 200, body: {}, done: "stored" };
    },
  };
  const answer = gatewayFetch(createGateway(app));
  const webhook = () => new Request("http://postern.test/api/webhooks/github", { method: "POST", body: "{}" });
  await answer(webhook(), { address: "192.0.2.1" });
  await answer(webhook());
  expect(addresses).toEqual(["192.0.2.1", undefined]);
});

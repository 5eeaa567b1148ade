import { describe, test } from "vitest";
import { gatewayFetch } from "../src/fetch/index.ts";
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

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { gatewayFetch } from "../src/fetch/index.ts";
import { type MessagesAdapter, messagesContract } from "../src/testing/index.ts";
import { checkAnswer } from "./support/check-answer.ts";

let served = 0;

/** As the global `fetch` decodes an answer. */
const decoded = async (answer: Response): Promise<Response> => {
  const coding = answer.headers.get("content-encoding");
  if (coding === null || answer.body === null) return answer;
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBe(Number(answer.headers.get("content-length")));
  const whole = coding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes);
  return new Response(whole, { status: answer.status, headers: answer.headers });
};

const fetchAdapter: MessagesAdapter = async (gateway) => {
  const answer = gatewayFetch(gateway);
  served += 1;
  return {
    origin: `http://postern-${served}.test`,
    fetch: async (url, init) => decoded(await answer(new Request(url, init), { address: "127.0.0.1" })),
    close: () => Promise.resolve(),
  };
};

describe("fetch keeps the contract of messages", () => {
  for (const [promise, keep] of Object.entries(messagesContract)) test(promise, () => keep(fetchAdapter, checkAnswer));
});

import { messagesContract, overServer } from "@postern/http/testing";
import { describe, test } from "vitest";
import { checkAnswer } from "../../http/test/support/check-answer.ts";
import { koaListener } from "../src/index.ts";

describe("Koa keeps the contract of messages", () => {
  for (const [promise, keep] of Object.entries(messagesContract)) {
    test(promise, () => keep(overServer(koaListener), checkAnswer));
  }
});

import { describe, test } from "vitest";
import { gatewayListener } from "../src/node/index.ts";
import { messagesContract, overServer } from "../src/testing/index.ts";
import { checkAnswer } from "./support/check-answer.ts";

describe("node:http keeps the contract of messages", () => {
  for (const [promise, keep] of Object.entries(messagesContract)) {
    test(promise, () => keep(overServer(gatewayListener), checkAnswer));
  }
});

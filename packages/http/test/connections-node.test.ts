import { describe, test } from "vitest";
import { gatewayListener } from "../src/node/index.ts";
import { connectionsContract } from "../src/testing/index.ts";
import { checkAnswer } from "./support/check-answer.ts";

describe("node:http keeps the contract of connections", () => {
  for (const [promise, keep] of Object.entries(connectionsContract)) {
    test(promise, () => keep(gatewayListener, checkAnswer));
  }
});

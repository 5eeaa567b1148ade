import { connectionsContract } from "@postern/http/testing";
import { describe, test } from "vitest";
import { checkAnswer } from "../../http/test/support/check-answer.ts";
import { koaListener } from "../src/index.ts";

describe("Koa keeps the contract of connections", () => {
  for (const [promise, keep] of Object.entries(connectionsContract)) {
    test(promise, () => keep(koaListener, checkAnswer));
  }
});

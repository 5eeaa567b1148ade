import type { RequestListener } from "node:http";
import type { Gateway } from "@postern/http";
import { messagesContract, overServer } from "@postern/http/testing";
import Koa from "koa";
import { describe, test } from "vitest";
import { checkAnswer } from "../../http/test/support/check-answer.ts";
import { gatewayMiddleware } from "../src/index.ts";

/** Postern behind middleware of an application, and in front of what answers every other path. */
const amongOthers = (gateway: Gateway): RequestListener => {
  const koa = new Koa();
  koa.use((_ctx, next) => next());
  koa.use(gatewayMiddleware(gateway));
  koa.use(gatewayMiddleware(gateway, { alone: true }));
  return koa.callback();
};

describe("Koa keeps the contract of messages", () => {
  for (const [promise, keep] of Object.entries(messagesContract)) {
    test(promise, () => keep(overServer(amongOthers), checkAnswer));
  }
});

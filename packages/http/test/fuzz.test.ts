import { test } from "vitest";
import { gatewayListener } from "../src/node/index.ts";
import { fuzzBytes, fuzzRequests } from "./support/fuzz.ts";

test("no request gets a 5xx, and every answer is what the contract says", { timeout: 120_000 }, () =>
  fuzzRequests(gatewayListener),
);

test("no bytes on a connection get a 5xx other than 501, or anything that is not HTTP", { timeout: 60_000 }, () =>
  fuzzBytes(gatewayListener),
);

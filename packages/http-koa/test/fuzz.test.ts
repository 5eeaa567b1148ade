import { test } from "vitest";
import { fuzzBytes, fuzzRequests } from "../../http/test/support/fuzz.ts";
import { koaListener } from "../src/index.ts";

test("no request gets a 5xx, and every answer is what the contract says", { timeout: 120_000 }, () =>
  fuzzRequests(koaListener),
);

test("no bytes on a connection get a 5xx other than 501, or anything that is not HTTP", { timeout: 60_000 }, () =>
  fuzzBytes(koaListener),
);

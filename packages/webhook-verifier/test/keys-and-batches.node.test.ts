import { describe } from "vitest";
import { keysAndBatches } from "./suites/keys-and-batches.ts";

describe("on node:crypto", keysAndBatches);

import { describe } from "vitest";
import { batchesAndMessages } from "./suites/batches-and-messages.ts";

describe("on node:crypto", batchesAndMessages);

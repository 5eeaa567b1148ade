import { describe } from "vitest";
import { senders } from "./suites/senders.ts";

describe("on node:crypto", senders);

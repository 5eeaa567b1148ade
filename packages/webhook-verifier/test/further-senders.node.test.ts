import { describe } from "vitest";
import { furtherSenders } from "./suites/further-senders.ts";

describe("on node:crypto", furtherSenders);

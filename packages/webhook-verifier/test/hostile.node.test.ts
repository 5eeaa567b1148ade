import { describe } from "vitest";
import { hostile } from "./suites/hostile.ts";

describe("what attackers send, on node:crypto", hostile);

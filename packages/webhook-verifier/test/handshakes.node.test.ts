import { describe } from "vitest";
import { handshakes } from "./suites/handshakes.ts";

describe("on node:crypto", handshakes);

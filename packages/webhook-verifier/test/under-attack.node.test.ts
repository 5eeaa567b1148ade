import { describe } from "vitest";
import { underAttack } from "./suites/under-attack.ts";

describe("on node:crypto", underAttack);

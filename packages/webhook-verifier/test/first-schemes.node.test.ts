import { describe } from "vitest";
import { firstSchemes } from "./suites/first-schemes.ts";

describe("on node:crypto", firstSchemes);

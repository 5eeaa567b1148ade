import { describe } from "vitest";
import { fuzz } from "./fuzz.ts";

describe("forgeries, on node:crypto", fuzz);

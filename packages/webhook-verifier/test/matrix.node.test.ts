import { describe } from "vitest";
import { matrix } from "./suites/matrix.ts";

describe("on node:crypto", matrix);

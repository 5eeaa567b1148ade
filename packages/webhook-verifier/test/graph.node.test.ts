import { describe } from "vitest";
import { graph } from "./suites/graph.ts";

describe("Microsoft Graph on node:crypto", graph);

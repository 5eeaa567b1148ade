import { describe, vi } from "vitest";
import { graph } from "./suites/graph.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("Microsoft Graph on WebCrypto", graph);

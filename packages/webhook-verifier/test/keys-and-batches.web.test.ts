import { describe, vi } from "vitest";
import { keysAndBatches } from "./suites/keys-and-batches.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", keysAndBatches);

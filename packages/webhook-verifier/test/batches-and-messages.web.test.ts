import { describe, vi } from "vitest";
import { batchesAndMessages } from "./suites/batches-and-messages.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", batchesAndMessages);

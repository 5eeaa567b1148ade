import { describe, vi } from "vitest";
import { hostile } from "./suites/hostile.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("what attackers send, on WebCrypto", hostile);

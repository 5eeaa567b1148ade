import { describe, expect, test, vi } from "vitest";
import { immediate } from "#platform";
import { firstSchemes } from "./suites/first-schemes.ts";

// What the conditions in package.json do outside Node: the same sources on the other platform.
vi.mock("#platform", () => import("../src/platform/web.ts"));

test("runs on WebCrypto", () => {
  expect(immediate).toBe(false);
});

describe("on WebCrypto", firstSchemes);

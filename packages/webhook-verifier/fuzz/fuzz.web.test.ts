import { describe, vi } from "vitest";
import { fuzz } from "./fuzz.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("forgeries, on WebCrypto", fuzz);

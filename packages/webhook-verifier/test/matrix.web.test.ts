import { describe, vi } from "vitest";
import { matrix } from "./suites/matrix.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", matrix);

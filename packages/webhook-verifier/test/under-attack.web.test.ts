import { describe, vi } from "vitest";
import { underAttack } from "./suites/under-attack.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", underAttack);

import { describe, vi } from "vitest";
import { handshakes } from "./suites/handshakes.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", handshakes);

import { describe, vi } from "vitest";
import { senders } from "./suites/senders.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", senders);

import { describe, vi } from "vitest";
import { furtherSenders } from "./suites/further-senders.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", furtherSenders);

import { describe, vi } from "vitest";
import { keysAndCertificates } from "./suites/keys-and-certificates.ts";

vi.mock("#platform", () => import("../src/platform/web.ts"));

describe("on WebCrypto", keysAndCertificates);

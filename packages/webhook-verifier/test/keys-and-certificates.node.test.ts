import { describe } from "vitest";
import { keysAndCertificates } from "./suites/keys-and-certificates.ts";

describe("on node:crypto", keysAndCertificates);

import { createHmac } from "node:crypto";
import type { OneTimeCodes } from "@postern/core/ports";

/** HOTP with SHA-1 and six digits (RFC 4226), by OpenSSL. */
export const nodeOneTimeCodes = (): OneTimeCodes => ({
  code: async (secret, counter) => {
    const message = Buffer.alloc(8);
    message.writeBigUInt64BE(BigInt(counter));
    const mac = createHmac("sha1", secret).update(message).digest();
    const offset = (mac.at(-1) ?? 0) & 0xf;
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
  },
});

import { furtherSenders } from "./further-senders.ts";
import { inBody } from "./in-body.ts";
import { plainHashesAndKeys } from "./plain-hashes-and-keys.ts";
import { publicKeys } from "./public-key.ts";
import { senders } from "./senders.ts";
import { sendersOf2026 } from "./senders-of-2026.ts";
import { sendersWithCode } from "./senders-with-code.ts";
import { sendersWithTime } from "./senders-with-time.ts";
import { sendersWithTokens } from "./senders-with-tokens.ts";
import { sharedSecret } from "./shared-secret.ts";
import type { Vector } from "./vector.ts";

/** A vector for every scheme; the matrix fails for a scheme that has none. */
export const vectors: Readonly<Record<string, Vector>> = {
  ...sharedSecret,
  ...senders,
  ...sendersWithTime,
  ...sendersWithTokens,
  ...sendersWithCode,
  ...furtherSenders,
  ...sendersOf2026,
  ...inBody,
  ...plainHashesAndKeys,
  ...publicKeys,
};

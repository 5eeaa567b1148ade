import { type Schedule, schedule } from "@postern/jobs";
import type { Settings } from "../settings.ts";
import { keyEntry, rotateSigningKeys, type SigningKeyPorts } from "./signing-keys.ts";

/** How long one key signs access tokens: a month. A key that leaked is replaced by hand at once. */
const keyMs = 30 * 24 * 3_600_000;

/** Replaces the active signing key when it is old enough. One process does it. */
export const rotationSchedule = (
  ports: SigningKeyPorts,
  { signingKeyOverlapSeconds }: Pick<Settings, "signingKeyOverlapSeconds">,
): Schedule =>
  schedule("postern.rotate-signing-keys", "11 4 * * *", async (_due, { log }) => {
    const now = ports.clock.now();
    const active = (await ports.storage.signingKeys.list()).find(({ state }) => state === "active");
    // If there is no key, nobody has signed in yet. The first sign-in makes the key.
    if (active?.activeFrom === undefined || now - active.activeFrom < keyMs) return;
    const rotate = await rotateSigningKeys(ports, signingKeyOverlapSeconds * 1000);
    const { kid } = await ports.storage.transaction(async ({ signingKeys, audit }) => {
      const key = await rotate(signingKeys);
      await audit.append(keyEntry(now, "admin.signing-keys.rotate", key.kid));
      return key;
    });
    log("info", "another key signs access tokens now", { kid });
  });

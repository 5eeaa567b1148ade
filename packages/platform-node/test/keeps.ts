import type { Contract } from "@postern/core/testing";
import { describe, test } from "vitest";

/** Runs each case of a contract on a fresh subject. */
export const keeps = <Subject>(
  name: string,
  contract: Contract<Subject>,
  subject: () => Subject | Promise<Subject>,
): void => {
  describe(`${name} keeps its contract`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, async () => keep(await subject()));
  });
};

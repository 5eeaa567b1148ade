import type { Ports } from "@postern/core";
import { expect, test } from "vitest";
import { configuredProviders, openProviders } from "../src/providers.ts";
import { readSenders } from "../src/settings/read-environment.ts";

// Secrets need neither a clock nor an address to be read.
const ports = {} as Ports;

/** What the start says to a secret in the environment. */
const refusalOf = async (secret: string): Promise<string> => {
  const faults: string[] = [];
  const environment = readSenders({ WEBHOOK_STRIPE_SECRET: secret }, faults);
  expect(faults).toEqual([]);
  try {
    openProviders(await configuredProviders(environment, {}, []), ports);
    return "";
  } catch (thrown) {
    return String(thrown);
  }
};

test.each([
  ["quotes", '"whsec_0123456789abcdef"', "it has quotes around it"],
  ["quotes around two secrets", "'whsec_0123456789abcdef,whsec_fedcba9876543210'", "it has quotes around it"],
  ["an API key", "sk_live_0123456789abcdef", "it is an API key"],
  ["a short secret", "whsec_1", "unless you set allowShort"],
])("%s in a variable of the environment are named at the start", async (_, secret, text) => {
  const refusal = await refusalOf(secret);
  expect(refusal).toContain("Provider stripe");
  expect(refusal).toContain(text);
  expect(refusal).not.toContain("0123456789");
});

test("white space around a secret in the environment is cut off", async () => {
  expect(await refusalOf(" whsec_0123456789abcdef , whsec_fedcba9876543210\n")).toBe("");
});

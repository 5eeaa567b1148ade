import { describe, expect, expectTypeOf, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, type VerifierOptions, WebhookConfigError } from "../src/index.ts";
import { optionNames } from "../src/platform/option-names.ts";
import { checkOptionNames } from "../src/platform/web.ts";

const keys = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

describe("on Node, a misspelt option of a verifier", () => {
  test("is refused", () => {
    const misspelt = { keys, tolerence: 60 };
    expect(() => createVerifier(schemes.stripe, misspelt)).toThrow(WebhookConfigError);
    expect(() => createVerifier(schemes.stripe, misspelt)).toThrow(
      'createVerifier has no option "tolerence". There are keys, allowShort, toleranceSeconds, now, url, maxBodyBytes, settings, schema, dedupe, fetch.',
    );
  });

  test("is told from all that exist", () => {
    const all: Readonly<Record<keyof VerifierOptions, true>> = {
      keys: true,
      allowShort: true,
      toleranceSeconds: true,
      now: true,
      url: true,
      maxBodyBytes: true,
      settings: true,
      schema: true,
      dedupe: true,
      fetch: true,
    };
    expect(optionNames).toEqual(Object.keys(all));
    const given: object = Object.fromEntries(Object.keys(all).map((name) => [name, undefined]));
    expect(() => createVerifier(schemes.stripe, { ...given, keys })).not.toThrow();
  });
});

test("in browsers, where each byte counts, no names are checked", () => {
  expectTypeOf(checkOptionNames).returns.toBeVoid();
  expect(checkOptionNames()).toBeUndefined();
});

import { nodePorts } from "@postern/platform-node";
import { expect, test } from "vitest";

test("options that are left out, wrong or misspelt are named", () => {
  const make = (...given: unknown[]) => Reflect.apply(nodePorts, undefined, given);
  const secretKey = new Uint8Array(32);
  const keyIsMissing =
    'nodePorts: "secretKey" is missing; it must be 32 bytes in a Uint8Array, such as Buffer.from(text, "base64")';
  expect(() => make()).toThrow(keyIsMissing);
  expect(() => make({})).toThrow(keyIsMissing);
  expect(() => make({ secretKey, previousSecretKey: [] })).toThrow('did you mean "previousSecretKeys"?');
  expect(() => make({ secretKey, blockAddresses: "10.0.0.0/8" })).toThrow('"blockAddresses" must be a list');
  expect(() => make({ secretKey, passwords: { concurency: 1 } })).toThrow(
    'nodePorts, passwords: there is no option "concurency"; did you mean "concurrency"?',
  );
});

import { aesSecretBox, nodePorts } from "@postern/platform-node";
import { describe, expect, test } from "vitest";

describe("a secret key", () => {
  test.each([[undefined], ["x".repeat(32)], [7]])("that is no bytes is refused: %j", (given) => {
    // What a caller without types may give.
    const secretKey = given as unknown as Uint8Array;
    expect(() => aesSecretBox({ secretKey })).toThrow(/must be 32 bytes in a Uint8Array/);
    expect(() => nodePorts({ secretKey })).toThrow(/must be 32 bytes in a Uint8Array/);
  });

  test("of another length is refused, with the length it has", () => {
    expect(() => aesSecretBox({ secretKey: new Uint8Array(16) })).toThrow("must be 32 bytes long, not 16");
  });
});

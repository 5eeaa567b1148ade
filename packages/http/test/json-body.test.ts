import { AppError } from "@postern/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBodyMemory } from "../src/admission/memory.ts";
import { checkJson } from "../src/body/check-json.ts";
import { readJson } from "../src/body/json-body.ts";
import type { BodyReader, HttpRequest } from "../src/http-request.ts";

const mostValues = 20;

/** A request whose body comes in these pieces, and how many of them were taken. */
const requestOf = (pieces: readonly Uint8Array[]) => {
  const seen = { taken: 0 };
  const body = {
    read: async (reader: BodyReader) => {
      for (const piece of pieces) {
        await reader.take(piece);
        seen.taken += 1;
      }
    },
  };
  const request: Pick<HttpRequest, "headers" | "body"> = { headers: { "transfer-encoding": "chunked" }, body };
  return { request: request as HttpRequest, seen };
};

const read = async (pieces: readonly Uint8Array[]) => {
  const memory = createBodyMemory({ total: 10_000_000, perAddress: 5_000_000, waitMs: 0 });
  const { request, seen } = requestOf(pieces);
  let isWhole = false;
  const fault = await readJson(request, {
    limit: 1_000_000,
    network: "a",
    bodies: memory,
    mostValues,
    onWhole: () => {
      isWhole = true;
    },
  }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (fault !== undefined && !(fault instanceof AppError)) throw fault;
  return { fault, taken: seen.taken, isWhole, held: memory.held };
};

const faultOf = (text: string): AppError | undefined => {
  try {
    checkJson(text, mostValues);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
};

const inPieces = (text: string, length: number): readonly Uint8Array[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
    bytes.subarray(n * length, (n + 1) * length),
  );
};

describe("a JSON body", () => {
  test("with too many values is refused when they have come, and the rest is not taken", async () => {
    const { fault, taken, isWhole, held } = await read(inPieces(`{"a":[${"[],".repeat(1_000)}[]]}`, 30));
    expect(fault?.code).toBe("invalid_json");
    expect(taken).toBeLessThan(5);
    expect([isWhole, held]).toEqual([false, 0]);
  });

  test("is refused with the same fault however its bytes come", async () => {
    const value = fc.oneof(
      fc.array(fc.oneof(fc.constant([]), fc.nat(9), fc.string({ maxLength: 3 })), { maxLength: 40 }),
      fc.dictionary(fc.string({ maxLength: 4 }), fc.constantFrom("a,b", '"', "\\", "é"), { maxKeys: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 1, max: 50 }), fc.nat(), async (json, length, broken) => {
        const whole = JSON.stringify(json);
        fc.pre(!whole.includes("__proto__"));
        // Some texts have a fault in the middle.
        const text = broken % 3 === 0 ? whole.replace(",", ",,") : whole;
        const { fault, isWhole } = await read(inPieces(text, length));
        const expected = faultOf(text);
        expect([fault?.code, fault?.detail, fault?.faults]).toEqual([
          expected?.code,
          expected?.detail,
          expected?.faults,
        ]);
        if (fault === undefined) expect(isWhole).toBe(true);
      }),
    );
  });
});

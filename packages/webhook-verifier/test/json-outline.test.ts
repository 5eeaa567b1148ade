import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createVerifier, sign } from "../src/index.ts";
import { outlineOf } from "../src/platform/json-outline.ts";
import type { Scheme } from "../src/scheme.ts";
import { github } from "../src/schemes/github.ts";
import { gitlab } from "../src/schemes/gitlab.ts";
import { standardWebhooks } from "../src/schemes/standard-webhooks.ts";
import { stripe } from "../src/schemes/stripe.ts";

const outline = (text: string | Uint8Array, scheme: Scheme = stripe) => outlineOf(Buffer.from(text), scheme);

const parsed = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
};

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const textIn = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] || undefined
    : undefined;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** An outline never says anything that the parser would not say. */
const agrees = (bytes: Uint8Array): boolean => {
  const found = outline(bytes, { ...stripe, needsData: true });
  if (found === undefined) return false;
  const json = parsed(bytes);
  expect(json, Buffer.from(bytes).toString("latin1")).toBeDefined();
  expect(found).toEqual({
    depth: depthOf(json?.value),
    id: textIn(json?.value, "id"),
    type: textIn(json?.value, "type"),
    hasData: isObject(textIn(json?.value, "data")),
  });
  return true;
};

const member = fc.oneof(fc.constantFrom("id", "type", "data", "", "i", "idx", "Id", "__proto__"), fc.string());
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(member, tie("value"), { maxKeys: 5 }),
  ),
}));

describe("the outline of a body", () => {
  test("agrees with the parser on any JSON, however it is written", () => {
    let outlined = 0;
    const property = fc.property(anyJson, fc.constantFrom(undefined, 1, "\t", "\r\n "), (value, space) => {
      if (agrees(Buffer.from(JSON.stringify(value, undefined, space)))) outlined += 1;
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(outlined).toBeGreaterThan(500);
  });

  test("agrees with the parser on JSON with a byte changed, added or removed", () => {
    const bytes = fc.constantFrom(...'{}[]",:\\/truefalsn0123456789.-+eE \n\t\u0000\u001f\u007fdi', "é");
    const edited = fc.tuple(anyJson, fc.nat(), fc.nat(2), bytes).map(([value, place, removed, added]) => {
      const text = Buffer.from(JSON.stringify({ id: "a", type: "b", value }));
      const at = place % (text.length + 1);
      return Buffer.concat([text.subarray(0, at), Buffer.from(added), text.subarray(at + removed)]);
    });
    fc.assert(
      fc.property(edited, (text) => void agrees(text)),
      { numRuns: 4_000 },
    );
  });

  test("agrees with the parser on any bytes of its alphabet", () => {
    const alphabet = fc.constantFrom(...'{}[]",:\\t0-1.e+ ', "true", "null", '"id":', '"a"', "\\u00e9", "é");
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), (pieces) => void agrees(Buffer.from(pieces.join("")))),
      {
        numRuns: 4_000,
      },
    );
  });

  test("finds id and type of an ordinary event, and how deep it is", () => {
    const text = '{"id":"evt_1","data":{"object":{"id":"in_1","lines":[]}},"type":"invoice.paid","livemode":true}';
    expect(outline(text)).toEqual({ depth: 4, id: "evt_1", type: "invoice.paid" });
    expect(outline(` \n${text}\r\n\t`)).toEqual({ depth: 4, id: "evt_1", type: "invoice.paid" });
    expect(outline('{"id":"a","id":"b"}')).toEqual({ depth: 1, id: "b", type: undefined });
    expect(outline('[{"id":"a"}]')).toEqual({ depth: 2, id: undefined, type: undefined });
    expect(outline("{}")).toEqual({ depth: 1, id: undefined, type: undefined });
    expect(outline("null")).toEqual({ depth: 0, id: undefined, type: undefined });
  });

  test.each([
    ["an id with an escape", '{"id":"\\u0061"}'],
    ["an id that is not ASCII", '{"id":"é"}'],
    ["a name with an escape", '{"\\u0069d":"a"}'],
    ["a name of nothing but escapes", '{"\\u0069\\u0064":"a","t\\u0079\\u0070e":"b"}'],
    ["names that only begin like one", '{"i\\u0064x":"a","\\u0069":"b","i\\n":"c"}'],
    ["a byte order mark", '\u{feff}{"id":"a"}'],
  ])("agrees with the parser on %s", (_case, text) => {
    expect(agrees(Buffer.from(text))).toBe(true);
  });

  test.each([
    ["an id that is a number", '{"id":1}'],
    ["a type that is an object", '{"type":{}}'],
    ["129 levels", `${"[".repeat(129)}${"]".repeat(129)}`],
    ["a byte order mark that is not in front", " \u{feff}{}"],
    ["two byte order marks", "\u{feff}\u{feff}{}"],
    ["nothing", ""],
    ["space", " "],
    ["two values", "{} {}"],
    ["a list that ends as an object", "[}"],
    ["an escape of three digits", '{"text":"\\u012"}'],
    ["an escape whose last digit is none", '{"text":"\\u012g"}'],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ])("leaves to the parser: %s", (_case, text) => {
    expect(outline(text)).toBeUndefined();
  });

  test("reads any bytes, also those that are a part of others", () => {
    const text = Buffer.from('  {"id":"a"}  ');
    const bytes = new Uint8Array(text).subarray(2, -2);
    expect(outlineOf(bytes, stripe)).toEqual({ depth: 1, id: "a", type: undefined });
  });

  test("finds a type of which one part is a header", () => {
    const found = { depth: 1, id: undefined, type: "opened" };
    expect(outline('{"action":"opened"}', github)).toEqual(found);
    expect(outline('\u{feff} [{"action":1}]', github)).toEqual({ ...found, depth: 2, type: undefined });
    expect(outline("payload=%7B%7D", github)).toBeUndefined();
    expect(outline('"text"', github)).toBeUndefined();
  });

  test("takes time in proportion to the body", () => {
    const took = (count: number): number => {
      const body = Buffer.from(`{${Array.from({ length: count }, (_, at) => `"member${at}":"é"`).join()}}`);
      const from = performance.now();
      expect(outline(body)?.depth).toBe(1);
      return performance.now() - from;
    };
    took(20_000);
    expect(took(200_000)).toBeLessThan(100 * Math.max(1, took(20_000)));
  });

  test("leaves bodies to the parser whose scheme reads them in another way", () => {
    const text = '{"id":"a"}';
    expect(outline(text, { ...stripe, parse: () => ({}) })).toBeUndefined();
    expect(outline(text, { ...stripe, items: () => undefined })).toBeUndefined();
    expect(outline(text, { ...stripe, id: "body:event.id" })).toBeUndefined();
    expect(outline(text, { ...stripe, id: "body:id|event_id" })).toBeUndefined();
    expect(outline(text, { ...stripe, id: ["body:id", "body:type"] })).toBeUndefined();
    expect(outline(text, { ...stripe, id: "header:x-id" })).toEqual({ depth: 1, id: undefined, type: undefined });
  });
});

const keys = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLBkGYw==";
const bodies = [
  '{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}',
  '{"id":"\\u0061","type":"b"}',
  '{"id":7,"type":8,"object_kind":"push"}',
  '{"action":"opened","id":"é","type":"\\u00e9"}',
  '{"action":""}',
  '{"action":1}',
  "payload=%7B%22action%22%3A%22opened%22%7D",
  '{"id":"","type":null}',
  "[1]",
  "no JSON",
];

describe.each([stripe, github, gitlab, standardWebhooks].map((scheme) => [scheme.name, scheme] as const))(
  "a delivery of %s that is not parsed yet",
  (_name, scheme) => {
    test.each(bodies)("says the same as one that is: %s", async (body) => {
      const headers = { ...(await sign(scheme, { keys, body, id: "msg_1", type: "push", timestamp: Date.now() })) };
      const request = { method: "POST", url: "https://example.com/", headers, body: Buffer.from(body) };
      const found = await createVerifier(scheme, { keys }).verify(request);
      const plain = await createVerifier(scheme, { keys }).verify(request);
      // From now on it reads its parsed payload.
      expect(plain.payload).not.toBe(plain);
      // In this order, so that the id is found before the payload is read.
      expect([found.id, found.type, found.dedupeKey]).toEqual([plain.id, plain.type, plain.dedupeKey]);
      expect(JSON.stringify(found)).toBe(JSON.stringify(plain));
      expect([found.id, found.type, found.dedupeKey]).toEqual([plain.id, plain.type, plain.dedupeKey]);
    });
  },
);

test("a delivery knows the depth of a body that it has not parsed", async () => {
  const body = bodies[0] ?? "";
  const headers = { ...(await sign(stripe, { keys, body, timestamp: Date.now() })) };
  const verifier = createVerifier(stripe, { keys });
  const request = { method: "POST", headers, body: Buffer.from(body) };
  const delivery = verifier.verifySoon?.(request);
  expect(delivery).not.toBeInstanceOf(Promise);
  expect((await delivery)?.depth).toBe(3);
  const read = await verifier.verify(request);
  expect(read.payload).toEqual(JSON.parse(body));
  expect(read.depth).toBeUndefined();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, signRequest } from "../src/index.ts";
import { signatureBase } from "../src/message-signature.ts";
import { canonicalField, readDictionary } from "../src/structured-fields.ts";
import { expectRefusal } from "./support.ts";
import { ed25519, now } from "./vectors/vector.ts";

const pair = ed25519(7);

describe("structured fields", () => {
  // RFC 9651 (sections 3 and 4) and its examples.
  const canonical: Record<string, string | undefined> = {
    "sugar, tea, rum": "sugar, tea, rum",
    " a ,\tb": "a, b",
    '("foo"; a=1;b=2);lvl=5, ("bar" "baz");lvl=1': '("foo";a=1;b=2);lvl=5, ("bar" "baz");lvl=1',
    "( a   b )": "(a b)",
    "()": "()",
    "a=1,    b=2;x=1;y=2,   c=(a   b   c)": "a=1, b=2;x=1;y=2, c=(a b c)",
    "a=?0, b, c; foo=bar": "a=?0, b, c;foo=bar",
    "a=?1;x=?1;y": "a;x;y",
    "1.50, -0, 007, 1.0, 0.001": "1.5, 0, 7, 1.0, 0.001",
    "@1659578233": "@1659578233",
    '"a \\"quoted\\" one"': '"a \\"quoted\\" one"',
    ":cHJldGVuZCB0aGlz:": ":cHJldGVuZCB0aGlz:",
    "a;x=1;x=2": "a;x=2",
    "*/*;q=0.5": "*/*;q=0.5",
    "a,": undefined,
    "a b": undefined,
    "": undefined,
    "(a": undefined,
    '"open': undefined,
    "1.1234": undefined,
    "1234567890123456": undefined,
    ":not base64:": undefined,
    "a;;b": undefined,
    "a=1, a=2": undefined,
    "A=1": undefined,
    "?2": undefined,
  };
  for (const [text, expected] of Object.entries(canonical))
    test(`writes ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, () => {
      expect(canonicalField(text)).toBe(expected);
    });

  test("writes what is canonical already as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 30 }), (text) => {
        const once = canonicalField(text);
        if (once !== undefined) expect(canonicalField(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  test("takes time in step with the length of the text", () => {
    for (const text of [
      "(".repeat(16_000),
      "a;".repeat(8000),
      '"'.repeat(16_000),
      " ".repeat(16_000),
      "a,".repeat(8000),
    ])
      expect(readDictionary(`x=${text}`)).toBeUndefined();
  });
});

describe("signature components", () => {
  const message = (components: string, more: object = {}) => {
    const params = readDictionary(`s=(${components})`)?.get("s");
    if (params === undefined) throw new TypeError("not components");
    return signatureBase(params, {
      method: "POST",
      url: "https://www.example.com/path?param=value&foo=bar&baz=batman&qux=&va%C3%AF=a%20b",
      headers: {
        host: "www.example.com",
        "x-ows-header": "   Leading and trailing whitespace.  ",
        "cache-control": ["max-age=60", "  must-revalidate"],
        "example-dict": "  a=1,    b=2;x=1;y=2,   c=(a   b    c), d",
        "x-empty-header": "",
        "example-header": ["value, with, lots", "of, commas"],
      },
      ...more,
    });
  };
  const firstLines = (base: string): readonly string[] => base.split("\n").slice(0, -1);

  // The values of RFC 9421, sections 2.1 and 2.2.
  const values: Record<string, string> = {
    '"x-ows-header"': "Leading and trailing whitespace.",
    '"cache-control"': "max-age=60, must-revalidate",
    '"x-empty-header"': "",
    '"example-dict"': "a=1,    b=2;x=1;y=2,   c=(a   b    c), d",
    '"example-dict";sf': "a=1, b=2;x=1;y=2, c=(a b c), d",
    '"example-dict";key="a"': "1",
    '"example-dict";key="d"': "?1",
    '"example-dict";key="b"': "2;x=1;y=2",
    '"example-dict";key="c"': "(a b c)",
    '"example-dict";sf;key="b"': "2;x=1;y=2",
    '"example-dict";key="b";sf': "2;x=1;y=2",
    '"example-header"': "value, with, lots, of, commas",
    '"example-header";bs': ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:",
    '"@method"': "POST",
    '"@authority"': "www.example.com",
    '"@scheme"': "https",
    '"@path"': "/path",
    '"@query"': "?param=value&foo=bar&baz=batman&qux=&va%C3%AF=a%20b",
    '"@request-target"': "/path?param=value&foo=bar&baz=batman&qux=&va%C3%AF=a%20b",
    '"@query-param";name="baz"': "batman",
    '"@query-param";name="qux"': "",
  };
  for (const [component, value] of Object.entries(values))
    test(`gives ${component} the value of the RFC`, () => {
      expect(firstLines(message(component))).toEqual([`${component}: ${value}`]);
    });

  test("gives the trailers and the status of a response the values of the RFC", () => {
    // RFC 9421, 2.1.4 and 2.2.9.
    const headers = { trailer: "Expires", expires: "Tue, 20 Apr 2021 02:07:56 GMT" };
    const trailers = { expires: "Wed, 9 Nov 2022 07:28:00 GMT" };
    const answer = { method: undefined, url: undefined, status: 200, headers, trailers };
    expect(firstLines(message('"@status" "trailer" "expires";tr "expires"', answer))).toEqual([
      '"@status": 200',
      '"trailer": Expires',
      '"expires";tr: Wed, 9 Nov 2022 07:28:00 GMT',
      '"expires": Tue, 20 Apr 2021 02:07:56 GMT',
    ]);
    expect(() => message('"@method"', { ...answer, method: "POST" })).toThrow(
      expect.objectContaining({ code: "component_unsupported" }),
    );
  });

  test("writes its own parameters canonically, whatever white space they came with", () => {
    expect(message('  "host"  "@method"').split("\n").at(-1)).toBe('"@signature-params": ("host" "@method")');
  });

  for (const component of [
    '"@path";tr',
    '"@path";req=?0',
    '"@path";sf',
    '"@status";req',
    '"@query-param";name',
    '"host";sf=?0',
    '"host";key',
    '"host";key=5',
    '"host";bs;sf',
    '"host";bs;key="a"',
    '"@query-param"',
    '"host";name="a"',
    '"Host"',
    '"a b"',
    "host",
  ])
    test(`refuses ${component}: no message has it`, () => {
      expect(() => message(component)).toThrow(expect.objectContaining({ code: "component_unsupported" }));
    });

  test("refuses parts that are not there or not what they are said to be", () => {
    for (const [component, code] of Object.entries({
      '"absent"': "header_missing",
      '"example-dict";key="z"': "claim_mismatch",
      '"x-ows-header";key="a"': "claim_mismatch",
      '"x-ows-header";sf': "claim_mismatch",
      '"@query-param";name="nothing"': "claim_mismatch",
    }))
      expect(() => message(component)).toThrow(expect.objectContaining({ code }));
  });

  test("signs and verifies with parameters, and counts a digest only when all of it is covered", async () => {
    const components = ["@method", '"content-digest";key="sha-256"', '"x-list";sf'];
    const headers = { "x-list": "a,   b" };
    const request = await signRequest(schemes.rfc9421, {
      keys: pair.seed,
      body: "{}",
      headers,
      timestamp: now,
      settings: { components },
    });
    expect(request.headers["signature-input"]).toContain('("@method" "content-digest";key="sha-256" "x-list";sf)');
    const receive = (wanted: string[], more: object = {}) =>
      createVerifier(schemes.rfc9421, { keys: pair.raw, now: () => now, settings: { components: wanted } }).verify({
        ...request,
        headers: { ...request.headers, ...more },
      });
    expect((await receive(components)).covered).toEqual([
      "timestamp",
      "method",
      "header:content-digest;key=sha-256",
      "header:x-list;sf",
    ]);
    // A proxy may write a structured field anew.
    await receive(components, { "x-list": "a,b" });
    await expectRefusal(receive(components, { "x-list": "b, a" }), "signature_mismatch");
    await expectRefusal(receive(["@method", "content-digest"]), "claim_mismatch");
  });

  test("reads no member of objects where the message names one", async () => {
    const request = await signRequest(schemes.rfc9421, {
      keys: pair.seed,
      body: "{}",
      timestamp: now,
      settings: { components: ["@method", "content-digest"] },
    });
    const receive = (more: Record<string, string>) =>
      createVerifier(schemes.rfc9421, {
        keys: pair.raw,
        now: () => now,
        settings: { components: ["@method"] },
      }).verify({ ...request, headers: { ...request.headers, ...more } });
    const input = request.headers["signature-input"] ?? "";
    await expectRefusal(
      receive({ "signature-input": input.replace('alg="ed25519"', 'alg="constructor"') }),
      "signature_malformed",
    );
    await expectRefusal(
      receive({ "signature-input": input.replace('"@method"', '"constructor"').replace("sig=(", 'sig=("@method" ') }),
      "header_missing",
    );
  });
});

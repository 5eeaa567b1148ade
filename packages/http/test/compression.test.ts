import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { codedTag, tagNotModified, tagsToCompare } from "../src/compression/compression.ts";
import type { Coding } from "../src/compression/compressor.ts";
import { zlibCompressor } from "../src/compression/compressor.ts";
import { createKeptDocuments } from "../src/compression/kept-documents.ts";
import { fetchHandler } from "../src/fetch/index.ts";
import { acceptedCoding } from "../src/head/accept.ts";
import { makeApp } from "../src/testing/app-under-test.ts";

const codings: readonly Coding[] = ["br", "gzip"];

describe("what a caller accepts", () => {
  test("is never what it refused", () => {
    const entry = fc
      .tuple(fc.constantFrom("br", "gzip", "identity", "*", "deflate"), fc.constantFrom("", ";q=0", ";q=0.5", "; q=1"))
      .map(([name, weight]) => name + weight);
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: (text) => text.split(";")[0] }), (entries) => {
        const { best, plain } = acceptedCoding(entries.join(", "), codings);
        const named = (name: string) => entries.find((text) => text.split(";")[0] === name);
        const refused = (name: string) => (named(name) ?? named("*"))?.endsWith("q=0") === true;
        const listed = (name: string) => (named(name) ?? named("*")) !== undefined;
        expect(plain).toBe(!refused("identity"));
        if (best === undefined) expect(codings.some((one) => listed(one) && !refused(one))).toBe(false);
        else expect(refused(best)).toBe(false);
        if (best !== undefined && best !== "identity") expect(listed(best)).toBe(true);
      }),
    );
  });
});

describe("the tags of codings", () => {
  test("are told apart, and those that the caller cannot read match nothing", () => {
    const tags = ['"3.abc"', 'W/"3.abc-gzip"', '"x,y-br"', '"a-gzip-br"', '"-"', '"gzip"'];
    expect(tagsToCompare(tags.join(","), ["br", "gzip"])).toBe(tags.join(","));
    expect(tagsToCompare(tags.join(","), ["br"])).toBe('"3.abc","-","x,y-br","a-gzip-br","-","gzip"');
    expect(tagsToCompare(tags.join(", "), [])).toBe('"3.abc", "-", "-", "-", "-", "gzip"');
  });

  test("stand in a 304 as they were sent", () => {
    const tag = '"3.abc"';
    expect(codedTag(tag, "br")).toBe('"3.abc-br"');
    expect(tagNotModified(tag, '"3.abc-gzip"', codings)).toBe('"3.abc-gzip"');
    expect(tagNotModified(tag, '"3.abc-gzip", W/"3.abc-br"', codings)).toBe('"3.abc-br"');
    expect(tagNotModified(tag, '"3.abc"', codings)).toBe(tag);
    expect(tagNotModified(tag, "*", codings)).toBe(tag);
    expect(tagNotModified(tag, undefined, codings)).toBe(tag);
  });
});

describe("zlib", () => {
  const compressor = zlibCompressor();
  if (compressor === undefined) throw new TypeError("this runtime has no zlib");
  const decoded = { br: brotliDecompressSync, gzip: gunzipSync };

  test("gives all bytes back unchanged, in each coding, at once and on a thread", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.constantFrom(...codings), async (bytes, coding) => {
        const results = [compressor.compressNow(coding, bytes), await compressor.compress(coding, bytes)];
        for (const result of results) expect(Buffer.from(bytes).equals(decoded[coding](result))).toBe(true);
      }),
    );
  });

  test.each([{ userAgent: "Cloudflare-Workers" }, undefined])(
    "is left to a runtime that compresses itself, or has none: %j",
    (navigator) => {
      if (navigator === undefined) vi.stubGlobal("process", undefined);
      else vi.stubGlobal("navigator", navigator);
      try {
        expect(zlibCompressor()).toBeUndefined();
      } finally {
        vi.unstubAllGlobals();
      }
      expect(zlibCompressor()).toBeDefined();
    },
  );

  test("gives a long document back unchanged", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(Array.from({ length: 20_000 }, (_, at) => `row ${at * at}`)));
    for (const coding of codings) {
      const result = await compressor.compress(coding, bytes);
      expect(result.length).toBeLessThan(bytes.length / 2);
      expect(Buffer.from(bytes).equals(decoded[coding](result))).toBe(true);
    }
  });
});

describe("kept documents", () => {
  const answer = (tag: string, text: string) =>
    ({ status: 200, headers: { etag: tag }, text, isLasting: true }) as const;

  test("are the same object for the same root and tag, with the root in their paths", () => {
    const documents = createKeptDocuments();
    const page = answer('"a"', '<a href="/api/v2">');
    const kept = documents("/x", page);
    expect(kept?.text).toBe('<a href="/x/api/v2">');
    expect(documents("/x", page)).toBe(kept);
    expect(documents("/y", page)?.text).toBe('<a href="/y/api/v2">');
    expect(documents("/x", answer('"b"', "other"))).not.toBe(kept);
  });

  test("are encoded once for all their answers", () => {
    const documents = createKeptDocuments();
    const answer = { status: 200, headers: { etag: '"a"' }, text: "é{}", isLasting: true as const };
    const bytes = documents("", answer)?.bytes;
    expect(Buffer.from(bytes ?? []).toString()).toBe("é{}");
    expect(documents("", answer)?.bytes).toBe(bytes);
  });

  test("are measured once for all their answers", async () => {
    const fetch = fetchHandler(makeApp().app);
    const ask = () => fetch(new Request("http://postern.example/api/v2/openapi.json"));
    const { headers } = await ask();
    const count = vi.spyOn(Buffer, "byteLength");
    expect((await ask()).headers.get("content-length")).toBe(headers.get("content-length"));
    expect(count.mock.calls.filter(([text]) => typeof text === "string" && text.length > 10_000)).toEqual([]);
    count.mockRestore();
  });

  test("are not made for an answer that does not last, has no tag, or is too large", () => {
    const documents = createKeptDocuments(64, 10);
    expect(documents("", { status: 200, headers: { etag: '"a"' }, text: "text" })).toBeUndefined();
    expect(documents("", { status: 200, text: "text", isLasting: true })).toBeUndefined();
    expect(documents("", answer('"a"', "eleven chars"))).toBeUndefined();
  });

  test("are bounded in bytes and in number: the one that was requested the longest ago is dropped", () => {
    const documents = createKeptDocuments(64, 20);
    const [a, b] = [answer('"a"', "ten chars."), answer('"b"', "ten chars.")];
    const [keptA, keptB] = [documents("", a), documents("", b)];
    expect(documents("", a)).toBe(keptA);
    documents("", answer('"c"', "c"));
    expect(documents("", a)).toBe(keptA);
    expect(documents("", b)).not.toBe(keptB);
    const many = createKeptDocuments();
    const first = many("/0", a);
    for (let count = 1; count < 64; count++) many(`/${count}`, a);
    expect(many("/0", a)).toBe(first);
    many("/64", a);
    many("/65", a);
    expect(many("/0", a)).toBe(first);
    for (let count = 100; count < 164; count++) many(`/${count}`, a);
    expect(many("/0", a)).not.toBe(first);
  });
});

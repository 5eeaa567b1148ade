import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { acceptedCoding } from "../src/compression/accepted-coding.ts";
import { codedTag, tagNotModified, tagsToCompare } from "../src/compression/coded-tags.ts";
import { createCompressionTurns } from "../src/compression/compression-turns.ts";
import type { Coding } from "../src/compression/compressor.ts";
import { createKeptDocuments } from "../src/compression/kept-documents.ts";
import { compressionsAtOnce, zlibCompressor } from "../src/compression/zlib-compressor.ts";
import { fetchHandler } from "../src/fetch/index.ts";
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

  test("gives all bytes back unchanged, in each coding and with each effort", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.constantFrom(...codings), async (bytes, coding) => {
        const results = [
          compressor.compressNow(coding, bytes),
          await compressor.compress(coding, bytes, "once"),
          await compressor.compress(coding, bytes, "kept"),
        ];
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

  test("gives several megabytes back unchanged", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify(Array.from({ length: 150_000 }, (_, at) => `row ${at * at}`)),
    );
    for (const coding of codings) {
      const result = await compressor.compress(coding, bytes, "once");
      expect(result.length).toBeLessThan(bytes.length / 2);
      expect(Buffer.from(bytes).equals(decoded[coding](result))).toBe(true);
    }
  });
});

describe("the turns of compressions", () => {
  /** Work that waits to be ended. */
  const scene = (total: number, perAddress: number, atOnce = 2) => {
    const turns = createCompressionTurns({ total, perAddress, atOnce });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const run = (network: string, bytes = 1) =>
      turns.run(network, bytes, () => {
        begun.push(network);
        return new Promise<void>((resolve) => {
          ends.push(resolve);
        });
      });
    const endOne = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { run, begun, endOne, turns };
  };

  test("run two at once, and rotate between the networks", async () => {
    const { run, begun, endOne } = scene(100, 100);
    for (let count = 0; count < 5; count++) void run("greedy");
    void run("modest");
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(["greedy", "greedy"]);
    await endOne();
    await endOne();
    expect(begun.slice(2).toSorted()).toEqual(["greedy", "modest"]);
    for (let count = 0; count < 4; count++) await endOne();
    expect(begun).toHaveLength(6);
  });

  test("run one at once where a second one would take the event loop's processor", async () => {
    expect([1, 2, 3, 8].map(compressionsAtOnce)).toEqual([1, 1, 2, 2]);
    const { run, begun, endOne } = scene(100, 100, compressionsAtOnce(2));
    void run("first");
    void run("second");
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(["first"]);
    await endOne();
    expect(begun).toEqual(["first", "second"]);
  });

  test("are refused beyond the share of a network and beyond the total, and given again when there is room", async () => {
    const { run, endOne } = scene(10, 6);
    const first = run("a", 6);
    expect(first).toBeDefined();
    expect(run("a", 1)).toBeUndefined();
    expect(run("b", 4)).toBeDefined();
    expect(run("c", 1)).toBeUndefined();
    await endOne();
    await first;
    expect(run("c", 5)).toBeDefined();
  });

  test("give room and turn back when the work fails", async () => {
    const { turns } = scene(1, 1);
    for (let count = 0; count < 4; count++) {
      await expect(turns.run("a", 9, () => Promise.reject(new Error("no memory")))).rejects.toThrow("no memory");
    }
  });
});

describe("kept documents", () => {
  const answer = (tag: string, text: string) =>
    ({ status: 200, headers: { etag: tag }, text, isLasting: true }) as const;

  test("are the same object for the same root and tag, with the root in their paths", () => {
    const documents = createKeptDocuments(1000);
    const page = answer('"a"', '<a href="/api/v2">');
    const kept = documents.of("/x", page);
    expect(kept?.text).toBe('<a href="/x/api/v2">');
    expect(documents.of("/x", page)).toBe(kept);
    expect(documents.of("/y", page)?.text).toBe('<a href="/y/api/v2">');
    expect(documents.of("/x", answer('"b"', "other"))).not.toBe(kept);
  });

  test("are encoded once for all their answers", () => {
    const documents = createKeptDocuments(1000);
    const answer = { status: 200, headers: { etag: '"a"' }, text: "é{}", isLasting: true as const };
    const bytes = documents.of("", answer)?.bytes();
    expect(Buffer.from(bytes ?? []).toString()).toBe("é{}");
    expect(documents.of("", answer)?.bytes()).toBe(bytes);
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
    const documents = createKeptDocuments(10);
    expect(documents.of("", { status: 200, headers: { etag: '"a"' }, text: "text" })).toBeUndefined();
    expect(documents.of("", { status: 200, text: "text", isLasting: true })).toBeUndefined();
    expect(documents.of("", answer('"a"', "eleven chars"))).toBeUndefined();
  });

  test("are bounded in characters and in number: the one that was requested the longest ago is dropped", () => {
    const documents = createKeptDocuments(20);
    const [a, b] = [answer('"a"', "ten chars."), answer('"b"', "ten chars.")];
    const [keptA, keptB] = [documents.of("", a), documents.of("", b)];
    expect(documents.of("", a)).toBe(keptA);
    documents.of("", answer('"c"', "c"));
    expect(documents.of("", a)).toBe(keptA);
    expect(documents.of("", b)).not.toBe(keptB);
    const many = createKeptDocuments(1_000_000);
    const first = many.of("/0", a);
    for (let count = 1; count < 64; count++) many.of(`/${count}`, a);
    expect(many.of("/0", a)).toBe(first);
    many.of("/64", a);
    many.of("/65", a);
    expect(many.of("/0", a)).toBe(first);
    for (let count = 100; count < 164; count++) many.of(`/${count}`, a);
    expect(many.of("/0", a)).not.toBe(first);
  });
});

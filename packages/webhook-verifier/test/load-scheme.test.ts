import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as engine from "../src/engine.ts";
import * as all from "../src/index.ts";
import { loadScheme, schemeNames } from "../src/load-scheme.ts";
import { github } from "../src/schemes/github.ts";

const { findScheme, schemes } = all;

test("every scheme can be loaded by its name, and is the one in the table", async () => {
  expect(schemeNames).toEqual(Object.keys(schemes));
  for (const name of schemeNames) expect(await loadScheme(name)).toBe(findScheme(name));
});

test("a name that no scheme has is refused as by findScheme, with the nearest one", async () => {
  for (const name of ["stirpe", "Git Hub", "constructor", "__proto__", "", "nothing like any", undefined]) {
    // What callers without types can give.
    const given = name as string;
    const refusal = await loadScheme(given).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(all.WebhookConfigError);
    expect(() => findScheme(given)).toThrow((refusal as Error).message);
  }
  await expect(loadScheme("stirpe")).rejects.toThrow('did you mean "stripe"?');
});

test("the main entry adds the table of all schemes and nothing else", () => {
  const { findScheme: _, schemes: __, createVerifier: ofAll, ...rest } = all;
  // The engine's verifiers find ids without parsing, which bundles for browsers leave out.
  const { createVerifier: ofEngine, ...others } = engine;
  expect(rest).toEqual(others);
  expect(Object.keys(ofAll(github, { keys: "a secret of sixteen bytes" }))).toEqual(
    Object.keys(ofEngine(github, { keys: "a secret of sixteen bytes" })),
  );
});

test("neither entry that starts fast imports a scheme until one is named", () => {
  const seen = new Set<string>();
  const walk = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(new URL(path, import.meta.url), "utf8");
    for (const [, imported = ""] of text.matchAll(/^(?:import|export)\b[^;]*? from "(\.[^"]+)"/gm))
      walk(new URL(imported, new URL(path, "file:///test/")).pathname.replace("/", "../"));
  };
  walk("../src/engine.ts");
  walk("../src/load-scheme.ts");
  expect(seen).toContain("../src/verify.ts");
  expect([...seen].filter((path) => path.includes("/schemes/"))).toEqual([]);
});

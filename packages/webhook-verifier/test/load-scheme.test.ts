import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findScheme, schemes } from "../src/all-schemes.ts";
import { WebhookConfigError } from "../src/index.ts";
import { loadScheme, schemeNames } from "../src/load-scheme.ts";

test("every scheme can be loaded by its name, and is the one in the table", async () => {
  expect(schemeNames).toEqual(Object.keys(schemes));
  for (const name of schemeNames) expect(await loadScheme(name)).toBe(findScheme(name));
});

test("a name that no scheme has is refused as by findScheme, with the nearest one", async () => {
  for (const name of ["stirpe", "Git Hub", "constructor", "__proto__", "", "nothing like any", undefined]) {
    // What callers without types can give.
    const given = name as string;
    const refusal = await loadScheme(given).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(WebhookConfigError);
    expect(() => findScheme(given)).toThrow((refusal as Error).message);
  }
  await expect(loadScheme("stirpe")).rejects.toThrow('did you mean "stripe"?');
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
  walk("../src/index.ts");
  walk("../src/load-scheme.ts");
  expect(seen).toContain("../src/verify.ts");
  expect([...seen].filter((path) => path.includes("/schemes/"))).toEqual([]);
});

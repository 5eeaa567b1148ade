import { readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { didYouMean } from "@postern/core/internal";
import type { Jiti } from "jiti";

type Module = Readonly<Record<string, unknown>>;

/** A module in the form in which jiti runs a file: `var _server = await jitiImport("@postern/server")`. */
const imported = /\bvar (_\w+) = (?:_interopRequireWildcard\()?await jitiImport\("([^"]+)"\)/g;

/**
 * What a configuration file, and the files of its own that it imports, take from the given modules
 * although these do not export it. In such a file a missing name would be `undefined`, and perhaps
 * nobody would notice before an event arrives.
 */
export const missingImports = async (
  jiti: Jiti,
  file: string,
  modules: Readonly<Record<string, Module | Promise<Module>>>,
  seen = new Set<string>(),
): Promise<readonly string[]> => {
  if (seen.has(file)) return [];
  seen.add(file);
  const faults: string[] = [];
  const ts = extname(file).endsWith("ts");
  const code = jiti.transform({ source: readFileSync(file, "utf8"), filename: file, ts, async: true });
  for (const [, variable = "", specifier = ""] of code.matchAll(imported)) {
    if (/^\.{1,2}\//.test(specifier)) {
      const own = resolve(dirname(file), specifier);
      if (/\.m?[jt]s$/.test(own)) faults.push(...(await missingImports(jiti, own, modules, seen)));
      continue;
    }
    if (!Object.hasOwn(modules, specifier)) continue;
    const names = Object.keys((await modules[specifier]) ?? {});
    const used = new Set([...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, "g"))].map(([, name = ""]) => name));
    for (const name of used) {
      if (name === "default" || names.includes(name)) continue;
      faults.push(`${file}: "${specifier}" does not export "${name}"${didYouMean([name], names)}`);
    }
  }
  return faults;
};

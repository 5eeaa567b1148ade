import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { handWrittenResources } from "@postern/core/internal";
import { ConfigError } from "./config-error.ts";
import { configFileFaults, type PosternConfig } from "./config-file.ts";

const defaultNames = ["postern.config.ts", "postern.config.mjs", "postern.config.js"];

/** What a file without a default export is read as. */
const noDefault = Symbol("no default export");

/**
 * Whether the file has a default export. Without one, the loader returns all exports in its place;
 * for `module.exports` that is right. `names` are all exports.
 */
const hasDefault = (exported: unknown, names: object): boolean => {
  const given: Record<PropertyKey, unknown> = Object(exported);
  if (given[Symbol.toStringTag] === "Module") return false;
  return "default" in names || (Object.keys(names).length > 0 && given.__esModule !== true);
};

/** The configuration file that counts: `path`, or the first with a usual name in `directory`. */
export const configFileIn = (path: string | undefined, directory: string): string | undefined =>
  path === undefined ? defaultNames.map((name) => resolve(directory, name)).find(existsSync) : resolve(directory, path);

/**
 * Loads the configuration file: `path` if you name one, otherwise the first of
 * `postern.config.{ts,mjs,js}` in `directory`. Having no file is fine.
 * @throws ConfigError when a named file does not exist, cannot be loaded as a module, imports
 *   a name that does not exist, or has no object as its default export; it lists all faults of the file's declarations and settings.
 */
export const loadConfigFile = async (path: string | undefined, directory: string): Promise<PosternConfig> => {
  const file = configFileIn(path, directory);
  if (file === undefined) return {};
  if (!existsSync(file)) throw new ConfigError([`POSTERN_CONFIG: there is no file ${file}.`]);
  // Only a configuration file needs these modules.
  const [{ createJiti }, { allConfigModules, configModules, RequiredTooEarly }, { missingImports }] = await Promise.all(
    [import("jiti"), import("./config-modules.ts"), import("./missing-imports.ts")],
  );
  // A file that cannot be read as a module is reported below.
  const missing = await missingImports(createJiti(import.meta.url), file, configModules([])).catch(() => []);
  if (missing.length > 0) throw new ConfigError(missing);
  const read = async (virtualModules: Record<string, unknown>): Promise<unknown> => {
    const jiti = createJiti(import.meta.url, { virtualModules });
    const exported = await jiti.import(file, { default: true });
    // The file has run, so this only looks at its exports.
    return hasDefault(exported, Object(await jiti.import(file))) ? exported : noDefault;
  };
  /** The faults found by functions that the file calls. */
  let declared: string[] = [];
  const exported = await read(configModules(declared))
    .catch(async (cause: unknown) => {
      if (!(cause instanceof RequiredTooEarly)) throw cause;
      declared = [];
      return read(await allConfigModules(declared));
    })
    .catch((cause: unknown) => {
      const reason = `${file} could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`;
      // After a fault, the file may work with incomplete declarations, so only the declared faults
      // are reported.
      throw new ConfigError(declared.length > 0 ? declared : [reason]);
    });
  if (exported === noDefault) {
    throw new ConfigError([
      ...declared,
      `${file} has no default export: write \`export default defineConfig({ … })\`.`,
    ]);
  }
  if (typeof exported !== "object" || exported === null || Array.isArray(exported)) {
    throw new ConfigError([
      ...declared,
      `${file} must export an object as its default: \`export default defineConfig({ … })\`.`,
    ]);
  }
  // After a fault of its own, also a resource that was made by its function is incomplete.
  const faults = [
    ...declared,
    ...configFileFaults(exported),
    ...(declared.length > 0 ? [] : handWrittenResources(Reflect.get(exported, "resources"))),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return exported;
};

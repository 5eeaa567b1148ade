import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as app from "@postern/app";
import * as core from "@postern/core";
import * as rest from "@postern/rest";
import * as verifier from "@postern/webhook-verifier";
import * as loading from "@postern/webhook-verifier/load-scheme";
import * as zod from "zod";
import { ConfigError } from "./config-error.ts";
import { defineConfig } from "./config-file.ts";
import * as forConfiguration from "./for-configuration.ts";

type Module = Readonly<Record<string, unknown>>;

/** `standard-webhooks` is exported as `standardWebhooks`. */
const exportedAs = (scheme: string): string => scheme.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Modules that are loaded when the file imports them. All schemes together take 120 ms and 9 MB,
 * and a file uses one or two. `@postern/webhook-verifier/schemes/stripe` exports `stripe`, and so
 * on.
 */
const loaders: Readonly<Record<string, () => Promise<Module>>> = {
  "@postern/webhook-verifier/schemes": () => import("@postern/webhook-verifier/schemes"),
  ...Object.fromEntries(
    loading.schemeNames.map((name) => [
      `@postern/webhook-verifier/schemes/${name}`,
      async () => ({ [exportedAs(name)]: await loading.loadScheme(name) }),
    ]),
  ),
};

/** A file has asked for a module with `require`, which cannot wait until the module is loaded. */
export class RequiredTooEarly extends Error {
  override readonly name = "RequiredTooEarly";
}

/**
 * A module that is still being loaded. An import waits for it. `require` does not; then the first
 * thing that is taken from it throws `RequiredTooEarly`, because otherwise it would be `undefined`.
 */
const awaited = (specifier: string, module: Promise<Module>): Promise<Module> => {
  // The import that waits for it reports a failure.
  module.catch(() => undefined);
  return new Proxy(module, {
    get: (target, member) => {
      if (member === "then") return target.then.bind(target);
      // The loader of the file looks for these by itself.
      if (typeof member === "symbol" || member === "default") return undefined;
      throw new RequiredTooEarly(`${specifier} is not loaded yet.`);
    },
  });
};

/** `loaders` as an object whose members begin to load when they are read. */
const loadedWhenRead = (): Record<string, Promise<Module>> =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(loaders).map(([specifier, load]) => [
        specifier,
        { enumerable: true, configurable: true, get: () => awaited(specifier, load()) },
      ]),
    ),
  );

/** Functions that make a declaration and refuse one that cannot work. */
const declaring = ["defineJob", "defineProvider", "defineResource", "on", "schedule"];

/** Where a function was called, as `resources/invoice.js:4`; nothing if that cannot be told. */
const placeOf = (called: (...given: readonly never[]) => unknown): string => {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, called);
  const [, file, line] = /(?:\(|at )((?:file:\/\/|[A-Za-z]:)?[^():\n]+):(\d+):\d+\)?$/m.exec(here.stack ?? "") ?? [];
  if (file === undefined) return "";
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  const near = relative(process.cwd(), path);
  return ` (${near.startsWith("..") ? path : near}:${line})`;
};

/**
 * Wraps a module so that its declaring functions do not stop at the first fault. Each fault is
 * added to `faults`, and the file is read to its end, so that all of them are reported at once.
 */
const gathering = (module: Module, faults: string[]): Module => ({
  ...module,
  ...Object.fromEntries(
    Object.entries(module).flatMap(([name, member]) => {
      if (!declaring.includes(name) || typeof member !== "function") return [];
      const declare = (...given: readonly unknown[]): unknown => {
        try {
          return member(...given);
        } catch (thrown) {
          if (!(thrown instanceof core.DeclarationError)) throw thrown;
          const place = placeOf(declare);
          faults.push(...thrown.faults.map((fault) => `${fault}${place}`));
          // The configuration is refused in any case, so this value does not matter.
          return typeof given[0] === "object" ? given[0] : { name: String(given[0]) };
        }
      };
      return [[name, declare]];
    }),
  ),
});

const refuseOpening = (): never => {
  throw new TypeError("openPostern is for your application, and a configuration file is read by a server that is open");
};

/** The modules that every configuration file may use at once. */
const presentModules = (faults: string[]): Record<string, Module> => ({
  "@postern/app": app,
  "@postern/core": gathering(core, faults),
  "@postern/rest": rest,
  "@postern/server": { defineConfig, ...gathering(forConfiguration, faults) },
  // The package that projects install. Node would load its own copy of all these modules.
  postern: { defineConfig, ConfigError, openPostern: refuseOpening, ...gathering(forConfiguration, faults) },
  "@postern/webhook-verifier": verifier,
  "@postern/webhook-verifier/load-scheme": loading,
  zod: { ...zod, default: zod },
});

/**
 * Modules that a configuration file can import without installing them: zod, and this server's own
 * modules, so that an error class that the file throws is the one that is caught here. Everything
 * else comes from the project of the file. Modules of schemes are promises: only those that the
 * file imports are loaded.
 */
export const configModules = (faults: string[]): Record<string, Module | Promise<Module>> =>
  Object.assign(loadedWhenRead(), presentModules(faults));

/** The same, with all schemes loaded: for a file that uses `require`. */
export const allConfigModules = async (faults: string[]): Promise<Record<string, Module>> => {
  const loaded = await Promise.all(
    Object.entries(loaders).map(async ([specifier, load]) => [specifier, await load()] as const),
  );
  return { ...Object.fromEntries(loaded), ...presentModules(faults) };
};

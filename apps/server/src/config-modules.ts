import * as app from "@postern/app";
import * as core from "@postern/core";
import * as rest from "@postern/rest";
import * as verifier from "@postern/webhook-verifier";
import * as engine from "@postern/webhook-verifier/engine";
import * as loading from "@postern/webhook-verifier/load-scheme";
import * as zod from "zod";
import { defineConfig } from "./config-file.ts";
import * as forConfiguration from "./for-configuration.ts";

type Module = Readonly<Record<string, unknown>>;

/** `standard-webhooks` is exported as `standardWebhooks`. */
const exportedAs = (scheme: string): string => scheme.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** `@postern/webhook-verifier/schemes/stripe` exports `stripe`, and so on. */
const schemeModules = (): Readonly<Record<string, Module>> =>
  Object.fromEntries(
    Object.entries(verifier.schemes).map(([name, scheme]) => [
      `@postern/webhook-verifier/schemes/${name}`,
      { [exportedAs(name)]: scheme },
    ]),
  );

/** Functions that make a declaration and refuse one that cannot work. */
const declaring = ["defineJob", "defineProvider", "defineResource", "on", "schedule"];

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
          faults.push(...thrown.faults);
          // The configuration is refused in any case, so this value does not matter.
          return typeof given[0] === "object" ? given[0] : { name: String(given[0]) };
        }
      };
      return [[name, declare]];
    }),
  ),
});

/**
 * Modules that a configuration file can import without installing them: zod, and this server's own
 * modules, so that an error class that the file throws is the one that is caught here. Everything
 * else comes from the project of the file.
 */
export const configModules = (faults: string[]): Record<string, Module> => ({
  "@postern/app": app,
  "@postern/core": gathering(core, faults),
  "@postern/rest": rest,
  "@postern/server": { defineConfig, ...gathering(forConfiguration, faults) },
  "@postern/webhook-verifier": verifier,
  "@postern/webhook-verifier/engine": engine,
  "@postern/webhook-verifier/load-scheme": loading,
  "@postern/webhook-verifier/schemes": { schemes: verifier.schemes },
  ...schemeModules(),
  zod: { ...zod, default: zod },
});

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import * as app from "@postern/app";
import * as core from "@postern/core";
import * as rest from "@postern/rest";
import { ConfigError } from "./config-error.ts";
import { defineConfig, type PosternConfig } from "./config-file.ts";
import * as forConfiguration from "./for-configuration.ts";

/**
 * What a configuration file can import without having it installed beside it: this very server's own modules, so that an error class it throws is the
 * one that is caught here.
 */
const virtualModules = {
  "@postern/app": app,
  "@postern/core": core,
  "@postern/rest": rest,
  "@postern/server": { defineConfig, ...forConfiguration },
};

const members = [
  "providers",
  "routes",
  "handlers",
  "jobs",
  "schedules",
  "queues",
  "retention",
  "resources",
  "parts",
  "authenticate",
  "blockAddresses",
  "versions",
  "deprecations",
  "meter",
];

const defaultNames = ["postern.config.ts", "postern.config.mjs", "postern.config.js"];

/**
 * The configuration file: `path` where one is named, otherwise the first of `postern.config.{ts,mjs,js}` in `directory`; nothing at all is fine, too.
 * @throws ConfigError when a named file is not there, cannot be read as a module, or exports no object as its default.
 */
export const loadConfigFile = async (path: string | undefined, directory: string): Promise<PosternConfig> => {
  const file =
    path === undefined
      ? defaultNames.map((name) => resolve(directory, name)).find(existsSync)
      : resolve(directory, path);
  if (file === undefined) return {};
  if (!existsSync(file)) throw new ConfigError([`POSTERN_CONFIG: there is no file ${file}.`]);
  const { createJiti } = await import("jiti");
  const exported = await createJiti(import.meta.url, { virtualModules })
    .import(file, { default: true })
    .catch((cause: unknown) => {
      throw new ConfigError([`${file} could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`]);
    });
  if (typeof exported !== "object" || exported === null || Array.isArray(exported)) {
    throw new ConfigError([`${file} must export an object as its default: \`export default defineConfig({ … })\`.`]);
  }
  const unknown = Object.keys(exported).filter((name) => !members.includes(name));
  if (unknown.length > 0) {
    throw new ConfigError([`${file}: there is no setting ${unknown.join(", ")}; there are ${members.join(", ")}.`]);
  }
  return exported;
};

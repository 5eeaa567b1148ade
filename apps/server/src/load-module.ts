import { configModules } from "./config-modules.ts";

/** The default export of a module of the project, which may be TypeScript, as a configuration file is. */
export const loadModule = async (file: string): Promise<unknown> => {
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { virtualModules: configModules([]) }).import(file, { default: true });
};

/** Loaded before a program, by `--import`: as if the SDK of the Model Context Protocol were not installed. */
import { register } from "node:module";

const hook = `export const resolve = async (specifier, context, next) => {
  if (!specifier.startsWith("@modelcontextprotocol/")) return next(specifier, context);
  throw Object.assign(new Error(specifier), { code: "ERR_MODULE_NOT_FOUND" });
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

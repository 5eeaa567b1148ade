import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AppOptions } from "@postern/app";
import type { ServerConfig } from "./config.ts";

type Console = NonNullable<NonNullable<AppOptions["settings"]>["console"]>;

const typeOf: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The files of the built console, all read at once, so that a request reads no path. None if the
 * console has not been built, as in a clone whose sources run.
 */
const readFiles = (folder: string): Console["files"] => {
  const entries = (): readonly string[] => {
    try {
      return readdirSync(folder, { recursive: true, encoding: "utf8" });
    } catch {
      return [];
    }
  };
  return entries().flatMap((entry) => {
    const path = entry.replaceAll("\\", "/");
    const contentType = typeOf[path.split(".").at(-1) ?? ""];
    if (contentType === undefined) return [];
    const text = readFileSync(`${folder}/${path}`, "utf8");
    const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
    return [{ path: path === "index.html" ? "" : path, contentType, text, tag }];
  });
};

/** Beside the server, in a clone and in an installation. */
const builtFolder = (): string => fileURLToPath(new URL("../dist/console", import.meta.url));

/** How the console is served; nothing where it is off or not built. */
export const consoleOf = (
  { console: isOn, publicUrl }: ServerConfig,
  folder = builtFolder(),
): { readonly console?: Console } => {
  const files = isOn === "on" ? readFiles(folder) : [];
  if (files.length === 0) return {};
  const environment = publicUrl === undefined ? "local" : new URL(publicUrl).hostname;
  return { console: { files, environment } };
};

import type { Answer } from "@postern/core";
import type { RootedEndpoint } from "@postern/rest";

/** A file of the built console. */
export interface ConsoleFile {
  /** Below `/console/`; empty for the page itself. The name of a file in `assets/` has a hash of its text. */
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
  /** An entity tag, with its quotes, that names the text. */
  readonly tag: string;
}

/** Where the console is, below the root. */
export const consolePath = "/console";

/**
 * The page may run our script, use our style and call this server. Nobody may frame it, and no script
 * may turn text into markup.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const headersOf = ({ path, contentType, tag }: ConsoleFile): Readonly<Record<string, string>> => ({
  "content-type": contentType,
  etag: tag,
  "cache-control": path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
});

const endpointOf = (file: ConsoleFile, path = `${consolePath}/${file.path}`): RootedEndpoint => {
  const headers = headersOf(file);
  const whole: Answer = { status: 200, headers, text: file.text, isLasting: true };
  const unchanged: Answer = { status: 304, headers };
  return {
    path,
    methods: ["GET"],
    // A proxy that compresses may have made the tag a weak one, or added to it.
    answer: async ({ header }) => (header("if-none-match")?.includes(file.tag.slice(1, -1)) ? unchanged : whole),
  };
};

/**
 * The page for the address without a slash at its end. Next.js takes the slash away, so neither address
 * may lead to the other. Relative paths begin one level higher there.
 */
const withoutSlash = (page: ConsoleFile): RootedEndpoint => {
  const text = page.text.replaceAll('"./', `".${consolePath}/`);
  return endpointOf({ ...page, text, tag: page.tag.replace(/"$/, '.0"') }, consolePath);
};

/**
 * An endpoint for each file. Every path is known beforehand, so no path leads out of the folder. All
 * paths in the files are relative, so the console works below any root.
 */
export const consoleFileEndpoints = (files: readonly ConsoleFile[]): readonly RootedEndpoint[] =>
  files.flatMap((file) => (file.path === "" ? [withoutSlash(file), endpointOf(file)] : [endpointOf(file)]));

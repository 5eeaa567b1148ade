import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type ChosenServer, CommandError, exitCodes, type Terminal } from "./terminal.ts";

/** What `--server` and `--token` say. */
export interface ServerOptions {
  readonly server?: string;
  readonly token?: string;
}

const profile = z.object({ url: z.string(), token: z.string() });
const profiles = z.record(z.string(), profile);

type Profiles = Readonly<Record<string, ChosenServer>>;

/** Where `postern login` keeps addresses and keys. */
export const profilesFile = ({ environment: { XDG_CONFIG_HOME, HOME } }: Pick<Terminal, "environment">): string =>
  join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "postern", "servers.json");

/**
 * The servers of `postern login`, by their names.
 * @throws CommandError for a file that is not what it wrote.
 */
export const readProfiles = (terminal: Pick<Terminal, "environment">): Profiles => {
  const file = profilesFile(terminal);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return profiles.parse(JSON.parse(text));
  } catch {
    throw new CommandError(
      exitCodes.usage,
      `${file} is damaged. Remove it, then run: postern login <url> --name <name>`,
    );
  }
};

/** Replaces the file at once. Nobody but its owner can read it. */
export const writeProfiles = (terminal: Pick<Terminal, "environment">, written: Profiles): void => {
  const file = profilesFile(terminal);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(written, undefined, 2)}\n`, { mode: 0o600 });
  // A file that a process with this number left behind keeps its own mode.
  chmodSync(next, 0o600);
  renameSync(next, file);
};

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/**
 * The address of a server. A key must not travel in the clear, so it is https, or this machine.
 * @throws CommandError
 */
export const serverUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new CommandError(exitCodes.usage, `"${text}" is no address: a server is https://api.example.com.`);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new CommandError(exitCodes.usage, `${url.origin} would get the key in the clear. Use https.`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CommandError(exitCodes.usage, "The address of a server has no user, password, query or fragment.");
  return url.href.replace(/\/+$/, "");
};

/**
 * The server that a command is for: the one of `--server`, else of `POSTERN_SERVER`; a URL, or a
 * name that `postern login` got. `undefined` if neither is set: then it works on the database.
 * @throws CommandError for a name that is not known, and without a key.
 */
export const chosenServer = (
  { server, token }: ServerOptions,
  terminal: Pick<Terminal, "environment">,
): ChosenServer | undefined => {
  const { POSTERN_SERVER, POSTERN_TOKEN } = terminal.environment;
  const wanted = server ?? (POSTERN_SERVER || undefined);
  if (wanted === undefined) return undefined;
  const known = readProfiles(terminal);
  const named = Object.hasOwn(known, wanted) ? known[wanted] : undefined;
  if (named === undefined && !wanted.includes("://")) {
    const names = Object.keys(known).join(", ");
    throw new CommandError(
      exitCodes.usage,
      `There is no server "${wanted}"; there is ${names === "" ? "none" : names}. Give its address, or run: postern login <url> --name ${wanted}`,
    );
  }
  const url = serverUrl(named?.url ?? wanted);
  const kept = named ?? Object.values(known).find((one) => one.url === url);
  const key = token ?? (POSTERN_TOKEN || undefined) ?? kept?.token;
  if (key === undefined)
    throw new CommandError(
      exitCodes.notAllowed,
      `There is no key for ${url}. Set POSTERN_TOKEN to an API key, or run: postern login ${url}`,
    );
  return { url, token: key };
};

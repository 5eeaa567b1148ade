import { createHash } from "node:crypto";
import { presentTrace } from "@postern/app/internal";
import { traceVerification } from "@postern/webhook-verifier";
import type { Command } from "commander";
import { timeOf } from "../moment.ts";
import { providerNamed, withUncheckedSession } from "../session.ts";
import { CommandError, exitCodes, readBytes, readText, type Terminal } from "../terminal.ts";
import { traceLines } from "../trace-lines.ts";

interface VerifyOptions {
  readonly headers: string;
  readonly method: string;
  readonly url?: string;
  readonly at?: string;
  readonly json?: boolean;
}

/**
 * Reads `Name: value` lines, as curl and proxies write them. It skips a request line and blank
 * lines.
 * @throws CommandError when there is no such line.
 */
const parseHeaders = (text: string, file: string): Readonly<Record<string, readonly string[]>> => {
  const headers: Record<string, string[]> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const lower = name.toLowerCase();
    headers[lower] = [...(headers[lower] ?? []), value];
  }
  if (Object.keys(headers).length === 0)
    throw new CommandError(exitCodes.usage, `The file ${file} has no header, written as \`Name: value\` on a line.`);
  return headers;
};

/** `postern verify <provider>` */
export const addVerifyCommand = (verify: Command, terminal: Terminal): void => {
  verify
    .argument("<provider>", "which sender")
    .argument("[body]", "the file with the body, byte for byte; - is standard input", "-")
    .requiredOption("--headers <file>", "the file with the headers, one `Name: value` a line")
    .option("--method <method>", "the request's method", "POST")
    .option("--url <url>", "the address as the sender called it, for schemes that sign it")
    .option("--at <time>", "check the signed time against this RFC 3339 time (default: not checked)")
    .option("--json", "print the outcome as JSON")
    .action(async (name: string, file: string, { headers: headerFile, method, url, at, json }: VerifyOptions) => {
      if (headerFile === "-" && file === "-")
        throw new CommandError(
          exitCodes.usage,
          "Standard input cannot be both the headers and the body: name a file for one of them.",
        );
      const headers = parseHeaders(await readText(terminal, headerFile), headerFile);
      const body = await readBytes(terminal, file);
      const now = at === undefined ? undefined : timeOf(at);
      if (at !== undefined && now === undefined)
        throw new CommandError(exitCodes.usage, `--at takes an RFC 3339 time, not ${at}.`);
      const signed = { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") };
      await withUncheckedSession(terminal, async ({ composition }) => {
        const definition = await providerNamed(composition, name);
        const { scheme, keys, settings, toleranceSeconds, allowShort, dedupe } = definition;
        if (keys.length === 0)
          throw new CommandError(
            exitCodes.usage,
            `${name} takes its keys from the sender's key set, which this command does not fetch; it checks only with keys that are stored here.`,
          );
        const traced = await traceVerification(
          scheme,
          {
            keys,
            settings,
            allowShort,
            dedupe,
            toleranceSeconds: now === undefined ? Number.POSITIVE_INFINITY : toleranceSeconds,
            ...(now === undefined ? {} : { now: () => now }),
          },
          { method, url, headers, body },
        );
        const { id = null, type = null } = traced;
        const told = presentTrace(traced, false);
        const time = told.time?.signed_at ?? null;
        // Without --at, there is no time from which it could be away.
        const shown = { ...told, time: now === undefined ? null : told.time };
        const outcome = traced.valid
          ? {
              valid: true,
              id,
              type,
              time,
              covered: shown.covered,
              dedupe_key: shown.repeat?.key ?? null,
              repeat: { by: shown.repeat?.by, window_seconds: shown.repeat?.window_seconds },
              ...signed,
              trace: shown,
            }
          : { valid: false, code: shown.code, hint: shown.message, ...signed, trace: shown };
        const about = `${type ?? "no type"} ${id ?? "without an id"}${time === null ? "" : `, signed ${time}`}`;
        const heading = traced.valid ? `valid: ${about}\n` : "";
        terminal.stdout.write(json === true ? `${JSON.stringify(outcome)}\n` : `${heading}${traceLines(shown)}`);
        if (!traced.valid)
          throw new CommandError(exitCodes.problems, `not valid (${shown.code}): ${shown.message}\n  ${shown.hint}`);
      });
    });
};

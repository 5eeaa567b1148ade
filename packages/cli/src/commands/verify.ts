import { createHash } from "node:crypto";
import { createVerifier, type Delivery, WebhookVerificationError } from "@postern/webhook-verifier";
import type { Command } from "commander";
import { timeOf } from "../moment.ts";
import { providerNamed, withSession } from "../session.ts";
import { CommandError, exitCodes, readBytes, readText, type Terminal } from "../terminal.ts";

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

/** What would tell repeats of a delivery, in words. */
const toldBy = ({ repeat: { by, windowSeconds }, items }: Delivery): string => {
  const within = windowSeconds === undefined ? "" : ` within ${windowSeconds} seconds`;
  const whole = {
    "signed-id": "told by an id that is signed",
    "unsigned-id": "told by an id that is not signed",
    body: `told by the body${within}`,
    none: "nothing tells them",
  }[by];
  return items === undefined ? whole : `${whole}, for events of the batch without an id of their own`;
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
      await withSession(
        terminal,
        async ({ composition }) => {
          const definition = await providerNamed(composition, name);
          const { scheme, keys, settings, toleranceSeconds, allowShort, dedupe } = definition;
          if (keys.length === 0)
            throw new CommandError(
              exitCodes.usage,
              `${name} takes its keys from the sender's key set, which this command does not fetch; it checks only with keys that are stored here.`,
            );
          const verifier = createVerifier(scheme, {
            keys,
            settings,
            allowShort,
            dedupe,
            toleranceSeconds: now === undefined ? Number.POSITIVE_INFINITY : toleranceSeconds,
            ...(now === undefined ? {} : { now: () => now }),
          });
          try {
            const delivery = await verifier.verify({ method, url, headers, body });
            const { id, type, timestamp, covered, dedupeKey, repeat } = delivery;
            const time = timestamp === undefined ? null : new Date(timestamp).toISOString();
            const outcome = {
              valid: true,
              id: id ?? null,
              type: type ?? null,
              time,
              covered,
              dedupe_key: dedupeKey ?? null,
              // The names that events are shown with.
              repeat: {
                by: repeat.by === "signed-id" ? "id" : repeat.by.replace("-", "_"),
                window_seconds: repeat.windowSeconds ?? null,
              },
              ...signed,
            };
            terminal.stdout.write(
              json === true
                ? `${JSON.stringify(outcome)}\n`
                : `valid: ${type ?? "no type"} ${id ?? "without an id"}${time === null ? "" : `, signed ${time}`}\n` +
                    `  covered: ${covered.join(", ")}\n  repeats: ${toldBy(delivery)}\n` +
                    `  body: ${signed.bytes} bytes, sha256 ${signed.sha256}\n`,
            );
          } catch (thrown) {
            if (!(thrown instanceof WebhookVerificationError)) throw thrown;
            if (json === true) {
              const outcome = { valid: false, code: thrown.code, hint: thrown.message, ...signed };
              terminal.stdout.write(`${JSON.stringify(outcome)}\n`);
            }
            throw new CommandError(
              exitCodes.problems,
              `not valid (${thrown.code}): ${thrown.message}\n  body: ${signed.bytes} bytes, sha256 ${signed.sha256}`,
            );
          }
        },
        { checkSchema: false },
      );
    });
};

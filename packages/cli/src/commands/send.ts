import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ProviderDefinition } from "@postern/inbox";
import type { ServerConfig } from "@postern/server";
import type { Scheme } from "@postern/webhook-verifier";
import { signRequest } from "@postern/webhook-verifier";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { momentOf, momentToCome } from "../moment.ts";
import { hasPart, withPart } from "../sample-body.ts";
import { configOf, providerNamed, type Session, withUncheckedSession } from "../session.ts";
import { CommandError, exitCodes, hint, isRunByNpm, readText, type Terminal } from "../terminal.ts";
import { type Answer, adviceOn, checkAnswers, sumsOf } from "./sent-answers.ts";

interface SendOptions {
  readonly type?: string;
  readonly data?: string;
  readonly id?: string;
  readonly times: string;
  readonly duplicate?: boolean;
  readonly tamper?: boolean;
  readonly at?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const timeoutMs = 10_000;
const mostTimes = 10_000;

const notes = `
--data is sent byte for byte, unless --type or --id adds something; with --type it also gets an id.
With --times, every event has an id of its own. With --id, or with an id in --data, it is the same
event each time. Several deliveries end with a line that says how many were accepted, were
duplicates and were refused.

A sender that the code of your application configures needs its secret here, too, and the path at
which Postern is mounted:
  WEBHOOK_STRIPE_SECRET=whsec_… postern send stripe --url http://127.0.0.1:3000/postern

With --tamper, and with a time of --at that the sender's tolerance excludes, a refusal (401) is
expected: the exit code is 0 if every delivery was refused, and 8 if one was accepted. With
--duplicate it is 8 if a second delivery was taken for a new event.`;

/** `postern send <provider>` */
export const addSendCommand = (send: Command, terminal: Terminal): void => {
  send
    .argument("<provider>", "a configured provider")
    .option("--type <type>", "the event's type (default: test.event, or what --data says)")
    .option("--data <json>", "the body: JSON, @file, or - for standard input (default: a small sample)")
    .option("--id <id>", "the event's id; sending the same twice shows how repeats are dropped")
    .option("--times <n>", `send so many events, one after the other: 1 to ${mostTimes}`, "1")
    .option("--duplicate", "send each delivery twice, byte for byte")
    .option("--tamper", "change one byte of the body after signing, to see it refused")
    .option("--at <time>", "sign as at this time: 10m or -10m (that long ago), +10m, or an RFC 3339 time")
    .option("--url <url>", "the server's address (default: from HOST, PORT and POSTERN_BASE_PATH)")
    .option("--json", "print the answer as JSON; of several { answers, accepted, duplicate, refused, … }")
    .addHelpText("after", notes)
    .action(async (name: string, options: SendOptions) => {
      await withoutNewDatabase(terminal, async ({ composition, config }) => {
        const provider = await providerNamed(composition, name);
        const { canSign } = await loadServer();
        if (!canSign(provider)) {
          const what = `${provider.scheme.title} signs with a key that only it has`;
          throw new CommandError(exitCodes.usage, `${what}; a test event cannot be signed here.`);
        }
        const times = timesOf(options.times);
        const timestamp = options.at === undefined ? undefined : signedAt(options.at, provider);
        const address = `${serverAddress(options.url, config)}/api/webhooks/${name}`;
        const data = await dataOf(terminal, options);
        const signed = async (): Promise<Signed> => {
          const id = options.id ?? `evt_${randomUUID().replaceAll("-", "")}`;
          const type = options.type ?? "test.event";
          const request = await signRequest(provider.scheme, {
            keys: provider.keys.slice(-1),
            settings: provider.settings,
            body: bodyOf(data, { ...options, isOneOfMany: times > 1 }, provider.scheme, { id, type }),
            id,
            type,
            timestamp,
            // The server checks signatures over the address at which senders call it.
            url:
              config.publicUrl === undefined
                ? address
                : `${new URL(config.publicUrl).origin}${config.basePath}/api/webhooks/${name}`,
          });
          // Some senders sign in the query.
          const { search } = new URL(String(request.url));
          const sent = { ...request, url: address + search };
          return options.tamper === true ? { ...sent, body: withOtherByte(sent.body) } : sent;
        };
        const answers = await deliverAll(signed, times, options, terminal);
        const expected = { ...options, isTooFar: isTooFar(timestamp, provider) };
        checkAnswers(
          answers,
          { what: `${name} ${options.type ?? "test.event"}`, scheme: provider.scheme },
          expected,
          terminal,
        );
        const advice = adviceOn(answers, name, composition.handlers);
        if (advice !== undefined) terminal.stderr.write(`${hint(advice, terminal)}\n`);
      });
    });
};

/**
 * Runs `work` with a database only where there is one: an application that has Postern in it keeps its
 * database elsewhere, so none is made here for its sake.
 */
const withoutNewDatabase = async (terminal: Terminal, work: (session: Session) => Promise<void>): Promise<void> => {
  const { sqliteFile } = await loadServer();
  const file = sqliteFile((await configOf(terminal)).database);
  if (file === undefined || existsSync(resolve(terminal.directory, file))) return withUncheckedSession(terminal, work);
  const folder = mkdtempSync(join(tmpdir(), "postern-send-"));
  const environment = { ...terminal.environment, DATABASE_URL: `sqlite:${join(folder, "postern.db")}` };
  try {
    await withUncheckedSession({ ...terminal, environment }, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const timesOf = (text: string): number => {
  const times = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (times >= 1 && times <= mostTimes) return times;
  throw new CommandError(exitCodes.usage, `--times takes a number from 1 to ${mostTimes}, not ${text}.`);
};

/** How far the signed time may be from now; `undefined` if the sender signs none. */
const toleranceOf = ({ scheme, toleranceSeconds }: ProviderDefinition): number | undefined =>
  scheme.toleranceSeconds === undefined ? undefined : (toleranceSeconds ?? scheme.toleranceSeconds);

/** Reads `--at`. @throws CommandError for a sender that signs no time. */
const signedAt = (text: string, provider: ProviderDefinition): number => {
  const at = Date.parse(
    text.startsWith("+") ? momentToCome("--at", text.slice(1)) : momentOf("--at", text.replace(/^-/, "")),
  );
  if (toleranceOf(provider) !== undefined) return at;
  throw new CommandError(
    exitCodes.usage,
    `${provider.scheme.title} signs no time, so it cannot be too old. Leave out --at.`,
  );
};

const isTooFar = (timestamp: number | undefined, provider: ProviderDefinition): boolean =>
  timestamp !== undefined &&
  Math.abs(Date.now() - timestamp) > (toleranceOf(provider) ?? Number.POSITIVE_INFINITY) * 1000;

/** The bytes with another letter or digit in place of one in their middle, so that their form stays as it was. */
const withOtherByte = (body: Signed["body"]): Signed["body"] => {
  const changed = body.slice();
  const middle = body.length >> 1;
  const isWord = (byte: number): boolean => /[0-9A-Za-z]/.test(String.fromCharCode(byte));
  const after = body.subarray(middle).findIndex(isWord);
  const at = after === -1 ? body.findIndex(isWord) : middle + after;
  changed[Math.max(0, at)] = body[at] === 0x31 ? 0x32 : 0x31;
  return changed;
};

/** Sends one after the other, prints each answer as it comes, and at the end how many went which way. */
const deliverAll = async (
  signed: () => Promise<Signed>,
  times: number,
  { duplicate = false, json = false }: SendOptions,
  terminal: Terminal,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = [];
  const isOne = times === 1 && !duplicate;
  const print = (answer: Answer): void => {
    answers.push(answer);
    if (json && !isOne) return;
    terminal.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${answer.status} ${JSON.stringify(answer.body)}\n`);
  };
  try {
    for (let sent = 0; sent < times; sent += 1) {
      const request = await signed();
      print(await deliver(request, terminal));
      if (duplicate) print(await deliver(request, terminal));
    }
  } finally {
    const sums = sumsOf(answers);
    if (json && !isOne) terminal.stdout.write(`${JSON.stringify({ answers, ...sums })}\n`);
    else if (!isOne) {
      const parts = Object.entries(sums).map(([word, count]) => `${count} ${word}`);
      terminal.stderr.write(`${answers.length} sent: ${parts.join(", ")}.\n`);
    }
  }
  return answers;
};

/**
 * The address of the server, without a slash at its end. A base path of the configuration is added
 * unless the address has a path of its own.
 * @throws CommandError for a text that is not an http or https URL.
 */
const serverAddress = (given: string | undefined, { host, port, tls, basePath }: ServerConfig): string => {
  if (given === undefined) return `${tls === undefined ? "http" : "https"}://${reachable(host)}:${port}${basePath}`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(
      exitCodes.usage,
      `--url takes the server's address, such as http://127.0.0.1:3000, not ${given}.`,
    );
  }
  const path = url.pathname.replace(/\/$/, "").replace(/\/api(\/webhooks(\/[^/]*)?)?$/, "");
  return url.origin + (path === "" ? basePath : path);
};

/** A server that listens on every address is called at the loopback address. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};

/** The text of `--data`; `undefined` without it. */
const dataOf = async (terminal: Terminal, { data }: SendOptions): Promise<string | undefined> =>
  data === "-" || data?.startsWith("@") === true ? readText(terminal, data.replace(/^@/, "")) : data;

/**
 * The bytes of `--data` as they are, unless `--id` or `--type` adds something to them, or they are
 * one of many events; else a sample. Where something is added, an id is, too, unless there is one.
 */
const bodyOf = (
  data: string | undefined,
  options: Pick<SendOptions, "id" | "type"> & { readonly isOneOfMany: boolean },
  scheme: Pick<Scheme, "id" | "type">,
  sample: { readonly id: string; readonly type: string },
): string => {
  const text = data ?? JSON.stringify({ ...sample, data: { message: "Hello from postern send" } });
  const { id, type } = data === undefined ? sample : options;
  const given = parsed(text);
  const withId =
    id !== undefined
      ? withPart(given, scheme.id, "id", id)
      : (type !== undefined || options.isOneOfMany) && !hasPart(given, scheme.id)
        ? withPart(given, scheme.id, "id", sample.id)
        : given;
  const whole = type === undefined ? withId : withPart(withId, scheme.type, "type", type);
  return whole === given ? text : JSON.stringify(whole);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(exitCodes.usage, "--data is not valid JSON.");
  }
};

type Signed = Awaited<ReturnType<typeof signRequest>>;

const deliver = async ({ url, method, headers, body }: Signed, { environment }: Terminal): Promise<Answer> => {
  try {
    const response = await fetch(String(url), {
      method,
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      return { status: response.status, body: text };
    }
  } catch (thrown) {
    const start = environment.CALLED_AS === undefined && !isRunByNpm(environment) ? "postern serve" : "npm start";
    throw new CommandError(
      exitCodes.unreachable,
      `${url} cannot be reached (${reasonOf(thrown)}). Start the server with ${start}, or name its address with --url.`,
    );
  }
};

/** `fetch` says only that it failed; its cause says why. */
const reasonOf = (thrown: unknown): string => {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string")
    return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
};

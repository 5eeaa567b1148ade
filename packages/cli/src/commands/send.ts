import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { canSign } from "@postern/server";
import { signRequest } from "@postern/webhook-verifier/engine";
import type { Command } from "commander";
import { providerNamed, withSession } from "../session.ts";
import { CommandError, exitCodes, readAll, type Terminal } from "../terminal.ts";

interface SendOptions {
  readonly type: string;
  readonly data?: string;
  readonly id?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const timeoutMs = 10_000;

/** `postern send <provider>` */
export const addSendCommand = (program: Command, terminal: Terminal): void => {
  program
    .command("send")
    .description("sign a test event with a provider's own secret and deliver it")
    .argument("<provider>", "a configured provider")
    .option("--type <type>", "the event's type", "test.event")
    .option("--data <json>", "the body: JSON, @file, or - for standard input (default: a small sample)")
    .option("--id <id>", "the event's id; sending the same twice shows how repeats are dropped")
    .option("--url <url>", "the server (default: from HOST and PORT)")
    .option("--json", "print the answer as JSON")
    .action(async (name: string, options: SendOptions) => {
      await withSession(
        terminal,
        async ({ composition, config }) => {
          const provider = await providerNamed(composition, name);
          if (!canSign(provider)) {
            const what = `${provider.scheme.title} signs with a key that only it has`;
            throw new CommandError(exitCodes.usage, `${what}; a test event cannot be signed here.`);
          }
          const server = options.url ?? `http://${config.host}:${config.port}`;
          const id = options.id ?? `evt_${randomUUID().replaceAll("-", "")}`;
          const request = await signRequest(provider.scheme, {
            keys: provider.keys.slice(-1),
            settings: provider.settings,
            body: await bodyOf(terminal, options, id),
            id,
            type: options.type,
            url: `${server.replace(/\/$/, "")}/api/webhooks/${name}`,
          });
          const answer = await deliver(request);
          terminal.stdout.write(
            options.json === true ? `${JSON.stringify(answer)}\n` : `${answer.status} ${JSON.stringify(answer.body)}\n`,
          );
          if (answer.status >= 300)
            throw new CommandError(exitCodes.failed, `${name} ${options.type} was not accepted.`);
        },
        { checkSchema: false },
      );
    });
};

const bodyOf = async (terminal: Terminal, { data, type }: SendOptions, id: string): Promise<string> => {
  if (data === undefined) return JSON.stringify({ id, type, data: { message: "Hello from postern send" } });
  const text =
    data === "-" ? await readAll(terminal.stdin) : data.startsWith("@") ? readFileSync(data.slice(1), "utf8") : data;
  try {
    JSON.parse(text);
  } catch {
    throw new CommandError(exitCodes.usage, "--data is not valid JSON.");
  }
  return text;
};

type Signed = Awaited<ReturnType<typeof signRequest>>;

const deliver = async ({ url, method, headers, body }: Signed): Promise<{ status: number; body: unknown }> => {
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
  } catch {
    throw new CommandError(
      exitCodes.unreachable,
      `${url} cannot be reached. Is the server running? Start it with npm start.`,
    );
  }
};

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { canSign } from "@postern/server";
import type { Scheme } from "@postern/webhook-verifier";
import { signRequest } from "@postern/webhook-verifier/engine";
import type { Command } from "commander";
import { withPart } from "../sample-body.ts";
import { providerNamed, withSession } from "../session.ts";
import { CommandError, exitCodes, readAll, type Terminal } from "../terminal.ts";

interface SendOptions {
  readonly type?: string;
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
    .option("--type <type>", "the event's type (default: test.event, or what --data says)")
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
          const type = options.type ?? "test.event";
          const request = await signRequest(provider.scheme, {
            keys: provider.keys.slice(-1),
            settings: provider.settings,
            body: await bodyOf(terminal, options, provider.scheme, { id, type }),
            id,
            type,
            url: `${server.replace(/\/$/, "")}/api/webhooks/${name}`,
          });
          const answer = await deliver(request);
          terminal.stdout.write(
            options.json === true ? `${JSON.stringify(answer)}\n` : `${answer.status} ${JSON.stringify(answer.body)}\n`,
          );
          if (answer.status >= 300) throw new CommandError(exitCodes.failed, `${name} ${type} was not accepted.`);
        },
        { checkSchema: false },
      );
    });
};

/** The bytes of `--data` as they are, unless `--id` or `--type` adds something to them; else a sample. */
const bodyOf = async (
  terminal: Terminal,
  options: SendOptions,
  scheme: Pick<Scheme, "id" | "type">,
  sample: { readonly id: string; readonly type: string },
): Promise<string> => {
  const { data } = options;
  const text =
    data === undefined
      ? JSON.stringify({ ...sample, data: { message: "Hello from postern send" } })
      : data === "-"
        ? await readAll(terminal.stdin)
        : data.startsWith("@")
          ? readFileSync(data.slice(1), "utf8")
          : data;
  const { id, type } = data === undefined ? sample : options;
  const given = parsed(text);
  const withId = id === undefined ? given : withPart(given, scheme.id, "id", id);
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

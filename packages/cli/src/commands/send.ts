import { randomUUID } from "node:crypto";
import type { ServerConfig } from "@postern/server";
import type { Scheme } from "@postern/webhook-verifier";
import { signRequest } from "@postern/webhook-verifier";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { withPart } from "../sample-body.ts";
import { providerNamed, withSession } from "../session.ts";
import { CommandError, exitCodes, isRunByNpm, readText, type Terminal } from "../terminal.ts";

interface SendOptions {
  readonly type?: string;
  readonly data?: string;
  readonly id?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const timeoutMs = 10_000;

/** `postern send <provider>` */
export const addSendCommand = (send: Command, terminal: Terminal): void => {
  send
    .argument("<provider>", "a configured provider")
    .option("--type <type>", "the event's type (default: test.event, or what --data says)")
    .option("--data <json>", "the body: JSON, @file, or - for standard input (default: a small sample)")
    .option("--id <id>", "the event's id; sending the same twice shows how repeats are dropped")
    .option("--url <url>", "the server's address (default: from HOST, PORT and POSTERN_BASE_PATH)")
    .option("--json", "print the answer as JSON")
    .action(async (name: string, options: SendOptions) => {
      await withSession(
        terminal,
        async ({ composition, config }) => {
          const provider = await providerNamed(composition, name);
          const { canSign } = await loadServer();
          if (!canSign(provider)) {
            const what = `${provider.scheme.title} signs with a key that only it has`;
            throw new CommandError(exitCodes.usage, `${what}; a test event cannot be signed here.`);
          }
          const address = `${serverAddress(options.url, config)}/api/webhooks/${name}`;
          const id = options.id ?? `evt_${randomUUID().replaceAll("-", "")}`;
          const type = options.type ?? "test.event";
          const request = await signRequest(provider.scheme, {
            keys: provider.keys.slice(-1),
            settings: provider.settings,
            body: await bodyOf(terminal, options, provider.scheme, { id, type }),
            id,
            type,
            // The server checks signatures over the address at which senders call it.
            url:
              config.publicUrl === undefined
                ? address
                : `${new URL(config.publicUrl).origin}${config.basePath}/api/webhooks/${name}`,
          });
          // Some senders sign in the query.
          const { search } = new URL(String(request.url));
          const answer = await deliver({ ...request, url: address + search }, terminal);
          terminal.stdout.write(
            options.json === true ? `${JSON.stringify(answer)}\n` : `${answer.status} ${JSON.stringify(answer.body)}\n`,
          );
          if (answer.status >= 300) throw new CommandError(exitCodes.failed, `${name} ${type} was not accepted.`);
        },
        { checkSchema: false },
      );
    });
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
      : data === "-" || data.startsWith("@")
        ? await readText(terminal, data.replace(/^@/, ""))
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

const deliver = async (
  { url, method, headers, body }: Signed,
  { environment }: Terminal,
): Promise<{ status: number; body: unknown }> => {
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

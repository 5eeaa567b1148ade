import type { Scheme } from "@postern/webhook-verifier";
import { loadScheme } from "@postern/webhook-verifier/load-scheme";
import type { Command } from "commander";
import { followFeed, untilInterrupted } from "../follow-feed.ts";
import { numberOf } from "../number-of.ts";
import type { AnswerOf, Operations } from "../operations.ts";
import type { ItemOf } from "../print-list.ts";
import { newRunKey, type RunKey, signedAgain } from "../run-keys.ts";
import { withOperations } from "../session.ts";
import { table } from "../table.ts";
import { CommandError, counted, exitCodes, hint, type Terminal } from "../terminal.ts";

interface ListenOptions {
  readonly forward: string;
  readonly provider?: string;
  readonly type?: string;
  readonly count?: string;
  readonly json?: boolean;
}

/** `postern listen` */
export const addListenCommand = (listen: Command, terminal: Terminal): void => {
  listen
    .requiredOption("--forward <url>", "where events go: http://localhost:3000/api/webhooks/stripe")
    .option("--provider <name>", "only this sender's events")
    .option("--type <type>", "only events of this type")
    .option("--count <n>", "end after this many events")
    .option("--json", "print one JSON object a line: first { kind: ready }, then one for each event")
    .addHelpText(
      "after",
      `
Examples:
  postern listen --server staging --forward http://localhost:3000/api/webhooks/stripe --provider stripe
  postern listen --forward http://localhost:3000/hooks --json

Each event comes with its exact bytes, signed as its sender signs, with a key made for this run. The
key is printed first: give it to your program in place of the sender's. The signature is verified
before an event is forwarded. After sleep or without a network it goes on where it was, for a day.
It needs the scopes feed:read, events:read, events:reveal and providers:read.`,
    )
    .action(async (options: ListenOptions) => {
      const target = targetOf(options.forward);
      await withOperations(terminal, (operations) => listenTo(terminal, operations, target, options));
    });
};

const targetOf = (given: string): string => {
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw new CommandError(exitCodes.usage, `--forward takes a URL such as http://localhost:3000/hooks, not ${given}.`);
};

type Provider = Pick<ItemOf<"admin.providers.list">, "name" | "scheme">;

const timeoutMs = 30_000;

/** What became of an event. */
interface Outcome {
  readonly status: number | null;
  readonly ms: number;
  /** Why it was not forwarded, or not answered. */
  readonly error: string | null;
}

/** A key for each sender, made when it is first needed. */
const keysOfRun = (onKey: (name: string, key: RunKey) => void) => {
  const known = new Map<string, { readonly scheme: Scheme; readonly key: RunKey }>();
  return async ({ name, scheme: schemeName }: Provider) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const scheme = await loadScheme(schemeName);
    const made = { scheme, key: newRunKey(scheme) };
    known.set(name, made);
    onKey(name, made.key);
    return made;
  };
};

/** Headers of the stored request that belong to its own way, not to this one. */
const ofItsWay = new Set(["host", "content-length", "connection", "transfer-encoding", "content-encoding"]);

const forward = async (
  event: AnswerOf<"admin.events.read">,
  { scheme, key }: { readonly scheme: Scheme; readonly key: RunKey },
  target: string,
): Promise<Outcome> => {
  const begun = performance.now();
  const failed = (error: string): Outcome => ({ status: null, ms: Math.round(performance.now() - begun), error });
  if (event.masked) {
    throw new CommandError(exitCodes.notAllowed, "The key may not see payloads: it needs the scope events:reveal.");
  }
  if (!event.body_kept) return failed("its body was deleted");
  const headers = Object.fromEntries(Object.entries(event.headers).filter(([name]) => !ofItsWay.has(name)));
  let signed: Awaited<ReturnType<typeof signedAgain>>;
  try {
    signed = await signedAgain(scheme, key, {
      body: Buffer.from(event.body_base64, "base64"),
      id: event.event_id ?? undefined,
      type: event.type ?? undefined,
      url: target,
      headers,
    });
  } catch (thrown) {
    return failed(`it cannot be signed here: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  try {
    const { method, body, url, headers: own } = signed;
    const { search } = new URL(String(url));
    const response = await fetch(search === "" ? target : String(url), {
      method,
      headers: { "content-type": "application/json", ...headers, ...own },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return { status: response.status, ms: Math.round(performance.now() - begun), error: null };
  } catch (thrown) {
    const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return failed(`${target} does not answer (${Object(cause).code ?? message})`);
  }
};

const listenTo = async (
  terminal: Terminal,
  operations: Operations,
  target: string,
  options: ListenOptions,
): Promise<void> => {
  const { type, count, json = false } = options;
  const { run } = operations;
  const most = count === undefined ? Number.POSITIVE_INFINITY : numberOf("--count", count);
  const print = (line: object, text: string): void =>
    void terminal.stdout.write(json ? `${JSON.stringify(line)}\n` : text);
  const keys: Record<string, string> = {};
  let isReady = false;
  const keyOf = keysOfRun((name, { verifying }) => {
    keys[name] = verifying;
    if (isReady) print({ kind: "key", provider: name, key: verifying }, `Key of ${name}: ${verifying}\n`);
  });
  const known = new Map<string, Provider>();
  for (const one of (await run({ operation: "admin.providers.list" })).data) known.set(one.name, one);
  const wanted = options.provider === undefined ? [...known.values()] : [known.get(options.provider)];
  for (const one of wanted) if (one !== undefined) await keyOf(one);
  const controller = untilInterrupted();
  const query = {
    kind: "event",
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(type === undefined ? {} : { type }),
  };
  const onAway = (why: string): void => void terminal.stderr.write(`${hint(why, terminal)} Trying again.\n`);
  let forwarded = 0;
  let failures = 0;
  for await (const { kind, data } of followFeed(operations, query, { signal: controller.signal, onAway })) {
    if (!isReady) {
      const lines = Object.entries(keys).map(([name, key]) => `Key of ${name}: ${key}\n`);
      print({ kind: "ready", forward: target, keys }, `${lines.join("")}Events go to ${target}. Ctrl-C ends.\n`);
      isReady = true;
    }
    if (kind === "reset") terminal.stderr.write("Some events were missed: postern events list shows them.\n");
    if (kind !== "event") continue;
    const { id } = data as ItemOf<"admin.events.list">;
    const event = await run({ operation: "admin.events.read", params: { id } });
    const from =
      known.get(event.provider) ?? (await run({ operation: "admin.providers.read", params: { name: event.provider } }));
    known.set(event.provider, from);
    const { status, ms, error } = await forward(event, await keyOf(from), target);
    if (status === null || status >= 300) failures += 1;
    const facts = { id, provider: event.provider, type: event.type, status, ms, error };
    const row = [new Date().toISOString(), id, event.provider, event.type, status ?? error, `${ms} ms`];
    print({ kind: "event", ...facts }, table([], [row], undefined));
    forwarded += 1;
    if (forwarded >= most) controller.abort();
    if (controller.signal.aborted) break;
  }
  if (failures > 0) throw new CommandError(exitCodes.someFailed, `${counted(failures, "event")} failed.`);
};

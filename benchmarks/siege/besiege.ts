import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Account, Attack, Report } from "./attack.ts";
import type { Order } from "./attacker.ts";
import { type DatabaseKind, type FreshDatabase, freshDatabase } from "./database.ts";
import { attackAddresses } from "./field.ts";
import { type Experience, healthyAddress, startHealthyClient } from "./healthy-client.ts";
import { send } from "./send.ts";
import { type ServerUnderSiege, startServer } from "./server.ts";

export interface Outcome {
  readonly name: string;
  readonly database: DatabaseKind;
  readonly client: Experience;
  /** Highest resident memory of the server in MB. */
  readonly peakMemory: number;
  /** How the server died, where it did. */
  readonly death: string | undefined;
  readonly logBytes: number;
  readonly stopMs: number;
  readonly report: Report;
}

export interface SiegeOptions {
  readonly database: DatabaseKind;
  /** MB; 0 for no limit. */
  readonly memory: number;
  /** Attacks that last longer are cut to this. Default: none is. */
  readonly mostSeconds?: number;
}

const healthyAccounts = 4;
const password = "correct horse battery";
const setupTries = 20;
/** An attack that does not end by itself is ended this long after its time. */
const graceMs = 15_000;

/** Signs an account up and in, and gives it its first post. */
export const signUp = async (port: number, name: string, from: string): Promise<Account> => {
  const post = async (path: string, body: unknown, headers = {}): Promise<Record<string, string>> => {
    const ask = () => send({ port, from, method: "POST", path, headers, body: JSON.stringify(body) });
    let { status, text } = await ask();
    // A busy machine may be late. Nothing is measured yet.
    for (let tries = 1; status === 503 && tries < setupTries; tries += 1) {
      await sleep(500);
      ({ status, text } = await ask());
    }
    if (status !== 201 && status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  };
  const email = `${name}@example.com`;
  const { id = "" } = await post("/api/v2/users", { name, email, password });
  const { access_token } = await post("/api/v2/sessions", { email, password });
  const authorization = `Bearer ${access_token}`;
  await post(`/api/v2/users/${id}/posts`, { title: "First", body: "Words." }, { authorization });
  return { id, authorization, address: from };
};

const signUpAll = (port: number, names: readonly (readonly [name: string, from: string])[]) =>
  Promise.all(names.map(([name, from]) => signUp(port, name, from)));

/** Starts the attack's process; it waits until it is sent its order. */
const enlist = async (): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL("attacker.ts", import.meta.url)), {
    execArgv: ["--conditions=@postern/source", "--import", "tsx"],
  });
  await once(child, "message");
  return child;
};

const carryOut = async (child: ChildProcess, order: Order, endServer: () => Promise<void>): Promise<Report> => {
  const killer = setTimeout(() => child.kill("SIGKILL"), order.facts.seconds * 1000 + graceMs);
  let report: Report = { saw: "nothing", fault: "the attack did not end in time" };
  child.on("message", (message: "end the server" | { readonly report: Report }) => {
    if (message === "end the server") void endServer().then(() => child.send("the signal was sent"));
    else report = message.report;
  });
  child.send(order);
  await once(child, "exit");
  clearTimeout(killer);
  return report;
};

/** Runs one attack against a server of its own, with a healthy client beside it. Without an attack it is the quiet run: three seconds of the client alone. */
export const besiege = async (attack: Attack | undefined, options: SiegeOptions): Promise<Outcome> => {
  const database = await freshDatabase(options.database);
  let server: ServerUnderSiege | undefined;
  try {
    server = await startServer({
      database,
      memory: options.memory,
      ...(attack?.environment === undefined ? {} : { environment: attack.environment }),
      ...(attack?.configuration === undefined ? {} : { configuration: attack.configuration }),
    });
    return await observe(attack, server, database, options.mostSeconds);
  } finally {
    await server?.stop();
    await database.drop();
  }
};

const quietMs = 3_000;

const observe = async (
  attack: Attack | undefined,
  server: ServerUnderSiege,
  database: FreshDatabase,
  mostSeconds = Number.POSITIVE_INFINITY,
): Promise<Outcome> => {
  const { port } = server;
  const [healthy, accounts, attacker] = await Promise.all([
    signUpAll(
      port,
      Array.from({ length: healthyAccounts }, (_, n) => [`healthy-${n}`, healthyAddress]),
    ),
    signUpAll(
      port,
      Array.from({ length: attack?.accounts ?? 0 }, (_, n) => [`attacker-${n}`, attackAddresses[n] ?? ""]),
    ),
    attack === undefined ? undefined : enlist(),
  ]);
  await attack?.prepare?.({ query: database.query, accounts });
  const client = startHealthyClient(port, healthy);
  let report: Report = { saw: "the healthy client alone" };
  let experience: Experience | undefined;
  let stopping: Promise<number> | undefined;
  const endServer = async (): Promise<void> => {
    experience = await client.stop();
    stopping = server.stop();
  };
  if (attack === undefined || attacker === undefined) await new Promise((resolve) => setTimeout(resolve, quietMs));
  else {
    const facts = { port, accounts, seconds: Math.min(attack.seconds, mostSeconds) };
    report = await carryOut(attacker, { attack: attack.name, facts }, endServer);
  }
  experience ??= await client.stop();
  const death = server.death();
  const stopMs = await (stopping ?? server.stop());
  return {
    name: attack?.name ?? "quiet",
    database: database.kind,
    client: experience,
    peakMemory: server.peakMemory(),
    death,
    logBytes: server.log().bytes,
    stopMs,
    report,
  };
};

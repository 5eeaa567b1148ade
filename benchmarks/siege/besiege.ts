import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { selfSigned } from "../../packages/http/src/testing/certificate.ts";
import type { Account, Attack, Report, ServerFigures, Stage } from "./attack.ts";
import type { Order } from "./attacker.ts";
import { slowness } from "./calibration.ts";
import { type DatabaseKind, type FreshDatabase, freshDatabase } from "./database.ts";
import { attackAddresses, warmingAddresses } from "./field.ts";
import { type Experience, healthyAddress, startHealthyClient } from "./healthy-client.ts";
import { type Place, send } from "./send.ts";
import { type ServerUnderSiege, startServer } from "./server.ts";
import type { Mechanism } from "./without/mechanisms.ts";

export interface Outcome {
  readonly name: string;
  readonly database: DatabaseKind;
  readonly client: Experience;
  /** Highest resident memory of the server in MB. */
  readonly peakMemory: number;
  /** How the server died, if it did. */
  readonly death: string | undefined;
  readonly logBytes: number;
  readonly stopMs: number;
  readonly report: Report;
  /** How slow the machine was before or after the attack, the slower one counts; see `slowness`. */
  readonly slowness: number;
}

export interface SiegeOptions {
  readonly database: DatabaseKind;
  /** MB; 0 for no limit. */
  readonly memory: number;
  /** Longer attacks are cut to this. Default: none is cut. */
  readonly mostSeconds?: number;
  /** A file to which the servers' logs are added. */
  readonly logTo?: string | undefined;
  /**
   * Carries the attack out once before it is measured. A server that has just started runs code that
   * is not compiled yet. Only for attacks that can be repeated on the same server; throws for one that
   * ends it or fails.
   */
  readonly warm?: boolean;
  /** The server runs from its source, without this. */
  readonly without?: Mechanism;
}

const healthyAccounts = 4;
const password = "correct horse battery";
const setupTries = 20;
const warmSeconds = 4;
/** After it, what the first run of the attack has left behind is done. */
const coolMs = 5_000;
/** An attack that does not end by itself is ended this long after its time. */
const graceMs = 15_000;

/** Signs an account up and in, and gives it its first post. */
export const signUp = async (place: Place, name: string, from: string): Promise<Account> => {
  const post = async (path: string, body: unknown, headers = {}): Promise<Record<string, string>> => {
    const ask = () => send({ ...place, from, method: "POST", path, headers, body: JSON.stringify(body) });
    let { status, text } = await ask();
    // A busy machine may be late. Nothing is being measured yet.
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

const signUpAll = (place: Place, names: readonly (readonly [name: string, from: string])[]) =>
  Promise.all(names.map(([name, from]) => signUp(place, name, from)));

/** Starts the attack's process, which waits for its order. */
const enlist = async (): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL("attacker.ts", import.meta.url)), {
    execArgv: ["--conditions=@postern/source", "--import", "tsx"],
  });
  await once(child, "message");
  return child;
};

/** What an attack may ask for. */
interface Besieger {
  endServer(): Promise<void>;
  inspect(): ServerFigures;
}

type Message = "end the server" | "inspect the server" | { readonly report: Report };

const carryOut = async (child: ChildProcess, order: Order, besieger: Besieger): Promise<Report> => {
  const killer = setTimeout(() => child.kill("SIGKILL"), order.facts.seconds * 1000 + graceMs);
  let report: Report = { saw: "nothing", fault: "the attack did not end in time" };
  child.on("message", (message: Message) => {
    if (message === "end the server") void besieger.endServer().then(() => child.send("the signal was sent"));
    else if (message === "inspect the server") child.send(besieger.inspect());
    else report = message.report;
  });
  child.send(order);
  await once(child, "exit");
  clearTimeout(killer);
  return report;
};

/**
 * Runs one attack against a server of its own, with a healthy client beside it. Without an attack
 * it is the quiet run: three seconds of the client alone.
 */
export const besiege = async (attack: Attack | undefined, options: SiegeOptions): Promise<Outcome> => {
  const before = slowness();
  const database = await freshDatabase(options.database);
  let server: ServerUnderSiege | undefined;
  let stage: Stage | undefined;
  // The attacker's process starts beside the server: each takes about a second of one processor.
  const enlisted = attack === undefined ? undefined : enlist();
  try {
    stage = await attack?.stage?.();
    const certificate = attack?.tls === undefined ? undefined : certificateIn(database.directory);
    server = await startServer({
      database,
      memory: options.memory,
      logTo: options.logTo,
      without: options.without,
      environment: { ...attack?.environment, ...stage?.environment, ...certificate?.environment },
      ...(attack?.configuration === undefined ? {} : { configuration: attack.configuration }),
    });
    const place = { port: server.port, ca: certificate?.ca };
    const besieged = { server, place, props: stage?.props ?? {}, attacker: await enlisted };
    const seen = await observe(attack, besieged, database, options);
    return { ...seen, slowness: Math.max(before, slowness()) };
  } finally {
    (await enlisted)?.kill();
    await server?.stop();
    await stage?.close();
    await database.drop();
  }
};

const quietMs = 3_000;

/** A certificate and its key, as files in the folder of the server. */
const certificateIn = (directory: string) => {
  const { cert, key } = selfSigned("a server under siege");
  const files = { POSTERN_TLS_CERT: join(directory, "cert.pem"), POSTERN_TLS_KEY: join(directory, "key.pem") };
  writeFileSync(files.POSTERN_TLS_CERT, cert);
  writeFileSync(files.POSTERN_TLS_KEY, key, { mode: 0o600 });
  return { ca: cert, environment: files };
};

interface Besieged {
  readonly server: ServerUnderSiege;
  readonly place: Place;
  /** The result of the attack's stage, for the attack. */
  readonly props: Stage["props"];
  /** Waits for its order. */
  readonly attacker: ChildProcess | undefined;
}

const observe = async (
  attack: Attack | undefined,
  { server, place, props, attacker }: Besieged,
  database: FreshDatabase,
  { mostSeconds = Number.POSITIVE_INFINITY, warm = false }: SiegeOptions,
): Promise<Omit<Outcome, "slowness">> => {
  const [healthy, accounts] = await Promise.all([
    signUpAll(
      place,
      Array.from({ length: healthyAccounts }, (_, n) => [`healthy-${n}`, healthyAddress]),
    ),
    signUpAll(
      place,
      Array.from({ length: attack?.accounts ?? 0 }, (_, n) => [`attacker-${n}`, attackAddresses[n] ?? ""]),
    ),
  ]);
  await attack?.prepare?.({ query: database.query, accounts });
  const orderFor = (attacked: Attack, seconds: number, addresses = attackAddresses): Order => ({
    attack: attacked.name,
    facts: {
      ...place,
      props,
      seconds,
      addresses,
      accounts: accounts.map((account, n) => ({ ...account, address: addresses[n] ?? "" })),
    },
  });
  const inspect = server.figures;
  if (warm && attack !== undefined) {
    let isRepeatable = true;
    const endServer = async (): Promise<void> => {
      isRepeatable = false;
    };
    const early = startHealthyClient(place, healthy);
    const { fault } = await carryOut(await enlist(), orderFor(attack, warmSeconds, warmingAddresses), {
      endServer,
      inspect,
    });
    await early.stop();
    if (!isRepeatable || fault !== undefined) throw new Error(`${attack.name} cannot be repeated on one server`);
    await sleep(coolMs);
  }
  const client = startHealthyClient(place, healthy);
  let report: Report = { saw: "the healthy client alone" };
  let experience: Experience | undefined;
  let stopping: Promise<number> | undefined;
  const endServer = async (): Promise<void> => {
    experience = await client.stop();
    stopping = server.stop();
  };
  if (attack === undefined || attacker === undefined) await sleep(quietMs);
  else {
    const other = attack.beside?.(place, accounts);
    const order = orderFor(attack, Math.min(attack.seconds, mostSeconds));
    report = await carryOut(attacker, order, { endServer, inspect });
    const alsoSaw = await other?.stop();
    if (alsoSaw !== undefined) {
      report = { saw: `${report.saw}; ${alsoSaw.saw}`, fault: report.fault ?? alsoSaw.fault };
    }
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

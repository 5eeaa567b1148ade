import { createHmac } from "node:crypto";
import { appendFileSync } from "node:fs";
import type { Agent } from "node:http";
import mysql from "mysql2/promise";
import pg from "pg";
import { loadDriver } from "../../../packages/storage-knex/src/sqlite/driver/load-driver.ts";
import { type Row, resultsFile } from "./results.ts";
import { call, pause, type Reply, secret } from "./server-under-fault.ts";

/** `pnpm faults` runs everything longer and harder than CI does. */
export const isLong = process.env.POSTERN_FAULTS === "long";

/** Delivers one event as GitHub does. */
export const deliver = (
  url: string | undefined,
  id: string,
  {
    type = "push",
    padding = "",
    agent,
  }: { readonly type?: string; readonly padding?: string; readonly agent?: Agent } = {},
): Promise<Reply> => {
  const body = JSON.stringify({ id, padding });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-hub-signature-256": `sha256=${signature}`,
    "x-github-delivery": id,
    "x-github-event": type,
  };
  return call(`${url}/api/webhooks/github`, {
    method: "POST",
    headers,
    body,
    ...(agent === undefined ? {} : { agent }),
  });
};

export interface Storm {
  /** Makes no more events, sends until every event was answered 200, and returns the tally. */
  end(): Promise<Tally>;
  readonly replies: readonly Reply[];
}

export interface Tally {
  readonly sent: number;
  readonly accepted: ReadonlySet<string>;
  readonly refused: number;
  readonly slowestMs: number;
}

/**
 * Many senders at once. Each sends an event again until it is answered 200, as real senders do, but
 * within seconds instead of hours.
 */
export const storm = (
  urls: readonly (string | undefined)[],
  { senders = 24, padding = "", type = "push", prefix = "evt_" } = {},
): Storm => {
  const accepted = new Set<string>();
  const replies: Reply[] = [];
  let sent = 0;
  let over = false;
  let refused = 0;

  const sender = async (): Promise<void> => {
    while (!over) {
      sent += 1;
      const id = `${prefix}${sent}`;
      for (let tries = 0; ; tries += 1) {
        const reply = await deliver(urls[(sent + tries) % urls.length], id, { type, padding });
        replies.push(reply);
        if (reply.status === 200) break;
        refused += 1;
        // The sender must learn that it should try again. It would take any other answer as final.
        if (reply.status !== 0 && reply.status !== 503) throw new Error(`${id} was answered ${reply.status}`);
        await pause(50);
      }
      accepted.add(id);
      await pause(5);
    }
  };
  const all = Promise.all(Array.from({ length: senders }, sender));
  all.catch(() => undefined);
  return {
    replies,
    end: async () => {
      over = true;
      await all;
      return { sent, accepted, refused, slowestMs: Math.max(...replies.map(({ ms }) => ms)) };
    },
  };
};

const driver = process.env.POSTERN_TEST_SQLITE_DRIVER;

/** The URL of a SQLite file. `POSTERN_TEST_SQLITE_DRIVER` names the library that opens it in all servers. */
export const sqliteUrl = (file: string): string => `sqlite:${file}${driver === undefined ? "" : `?driver=${driver}`}`;

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** Runs statements on the database itself, without the code under test. */
export const queryOf = (databaseUrl: string): Query => {
  if (databaseUrl.startsWith("postgres:")) {
    return async (sql) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
  }
  if (!databaseUrl.startsWith("sqlite:")) {
    return async (sql) => {
      const connection = await mysql.createConnection(databaseUrl);
      try {
        const [rows] = await connection.query(sql);
        return rows as Record<string, unknown>[];
      } finally {
        await connection.end();
      }
    };
  }
  return async (sql) => {
    const [file = ""] = databaseUrl.slice("sqlite:".length).split("?");
    const connection = await (await loadDriver()).open(file, { create: false });
    try {
      return await connection.all(sql);
    } finally {
      await connection.close();
    }
  };
};

export interface Outcome {
  readonly processed: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** A backlog may take its time. If no job ends for this long, one is stuck. */
const stuckAfterMs = 60_000;

const untilEnded = async (query: Query): Promise<void> => {
  let open = Number.POSITIVE_INFINITY;
  let since = performance.now();
  while (open > 0) {
    const [row] = await query("SELECT COUNT(*) AS open FROM job WHERE kind <> 'effect' AND state IN (0, 1, 2, 3)");
    const now = Number(row?.open);
    if (now < open) since = performance.now();
    open = Math.min(open, now);
    if (performance.now() - since > stuckAfterMs) {
      const left = await query(
        "SELECT state, losses, attempt, runner, COUNT(*) AS jobs, MIN(due_at) AS due FROM job WHERE kind <> 'effect' AND state IN (0, 1, 2, 3) GROUP BY state, losses, attempt, runner",
      );
      throw new Error(`for a minute no job has ended: ${JSON.stringify(left)}`);
    }
    await pause(open > 100 ? 500 : 25);
  }
};

/**
 * Waits until no job is left to run and returns what the accepted events have caused. Each effect
 * is a row that was written with the end of its job.
 */
export const outcomeOf = async (databaseUrl: string, accepted: ReadonlySet<string>): Promise<Outcome> => {
  const query = queryOf(databaseUrl);
  await untilEnded(query);
  const rows = await query("SELECT payload, COUNT(*) AS times FROM job WHERE kind = 'effect' GROUP BY payload");
  const times = new Map(
    rows.map(({ payload, times: count }) => [JSON.parse(String(payload)) as string, Number(count)]),
  );
  return {
    processed: times.size,
    lost: [...accepted].filter((id) => !times.has(id)),
    doubled: [...times].flatMap(([id, count]) => (count > 1 ? [id] : [])),
  };
};

/**
 * Prints the result of a fault and keeps it for the table. @throws Error unless every accepted
 * event took effect exactly once.
 */
export const judge = (
  fault: string,
  { sent, accepted, refused }: Pick<Tally, "sent" | "accepted" | "refused">,
  { processed, lost, doubled }: Outcome,
  remark = "",
): void => {
  const row: Row = {
    fault,
    sent,
    accepted: accepted.size,
    refused,
    processed,
    lost: lost.length,
    doubled: doubled.length,
    remark,
  };
  appendFileSync(resultsFile, `${JSON.stringify(row)}\n`);
  process.stdout.write(
    `${fault}: sent ${sent}, accepted ${accepted.size} (${refused} tries refused), processed ${processed}, lost ${lost.length}, doubled ${doubled.length}; ${remark}\n`,
  );
  if (lost.length + doubled.length > 0) {
    throw new Error(`${fault}: lost ${lost.slice(0, 10).join()}; doubled ${doubled.slice(0, 10).join()}`);
  }
  if (processed !== accepted.size) throw new Error(`${fault}: ${accepted.size} accepted, but ${processed} processed`);
};

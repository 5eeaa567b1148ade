import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eventually, pause, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, queryOf, sqliteUrl } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 600_000 : 50_000 });

const events = isLong ? 5_000 : 140;
const kills = isLong ? 40 : 2;
const account = { email: "root@example.com", password: "correct horse battery" };

/** What the answers have that this test looks at. */
interface Said {
  readonly access_token: string;
  readonly id: string;
  readonly dry_run: object;
}

/** The handler fails for good while the file `broken` is there. */
const configuration = `
import { existsSync } from "node:fs";
const handle = async (event, context) => {
  if (existsSync("broken")) throw new Error("no use");
  await context.commit((_rows, { jobs }) =>
    jobs.enqueue([{ kind: "effect", queue: "effects", maxAttempts: 1, payload: event.eventId }], Date.now()));
};
export default { handlers: [{ name: "push", provider: "*", type: "push", retry: { delaysMs: [] }, timeoutMs: 60_000, handle }] };`;

test("kill -9 in the middle of a plan, again and again", async (context) => {
  const { temporaryDirectory, server } = sceneOf(context);
  const directory = temporaryDirectory();
  const database = sqliteUrl(join(directory, "data/postern.db"));
  writeFileSync(join(directory, "broken"), "");
  const environment = {
    DATABASE_URL: database,
    POSTERN_ADMIN_EMAIL: account.email,
    POSTERN_ADMIN_PASSWORD: account.password,
  };
  const one = await server(directory, environment, { configuration });
  await one.start();

  const accepted = new Set(Array.from({ length: events }, (_, n) => `evt_${n}`));
  for (let from = 0; from < events; from += 50) {
    const some = [...accepted].slice(from, from + 50);
    const statuses = await Promise.all(some.map(async (id) => (await deliver(one.url, id)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  const query = queryOf(database);
  const count = async (where: string): Promise<number> =>
    Number((await query(`SELECT COUNT(*) AS jobs FROM job WHERE kind = 'push' AND ${where}`))[0]?.jobs);
  await eventually("all are dead", async () => (await count("state = 5")) === events, 15_000);
  rmSync(join(directory, "broken"));

  const ask = async (path: string, body: object, token?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const reply = await fetch(`${one.url}/api/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const said = (await reply.json()) as Said;
    if (!reply.ok) throw new Error(JSON.stringify(said));
    return said;
  };
  const { access_token: token } = await ask("/sessions", account);
  const plan = await ask(
    "/admin/plans",
    { action: "replay", filter: { state: "dead" }, per_second: isLong ? 100 : 25 },
    token,
  );
  expect(plan.dry_run).toMatchObject({ matched: events, done: events });
  await ask(`/admin/plans/${plan.id}/run`, {}, token);
  const cut: number[] = [];
  for (let n = 0; n < kills; n += 1) {
    const before = await count("replay_of IS NOT NULL");
    // It has caught up on the time of the kill, and is done.
    if (before === events) break;
    await eventually("it goes on", async () => (await count("replay_of IS NOT NULL")) > before, 10_000);
    await pause((n * 137) % 400);
    await one.end("SIGKILL");
    cut.push(await count("replay_of IS NOT NULL"));
    await one.start();
  }
  expect(Math.min(...cut)).toBeGreaterThan(0);
  expect(cut[0]).toBeLessThan(events);

  const outcome = await outcomeOf(database, accepted);
  judge(
    "SQLite: kill -9 in the middle of a plan",
    { sent: events, accepted, refused: 0 },
    outcome,
    `${cut.length} kills`,
  );
  expect(await count("replay_of IS NOT NULL")).toBe(events);
  const [stored] = await query("SELECT state, details FROM event_plan");
  expect(stored?.state).toBe("done");
  expect(JSON.parse(String(stored?.details)).progress).toMatchObject({ looked: events, done: events, jobs: events });
});

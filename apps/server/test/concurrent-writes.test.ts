import { createHttpServer } from "@postern/http/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compose } from "../src/compose.ts";
import { readConfig } from "../src/config.ts";
import type { PosternConfig } from "../src/config-file.ts";
import { afterwards, databases } from "./databases.ts";

const password = "correct horse battery";

/** Starts two nodes on one database. Each has its own pool, memory and listener. */
const twoNodes = async (databaseUrl: string, file: PosternConfig) => {
  const ends: (() => Promise<void>)[] = [];
  const urls: string[] = [];
  for (const _node of [1, 2]) {
    const { app, database, close } = await compose(readConfig(variablesFor(databaseUrl), false), file);
    ends.push(close);
    await database.migrate.latest();
    const server = createHttpServer(app);
    ends.push(() => server.close({ graceMs: 0 }));
    urls.push((await server.listen()).url);
  }
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  return { urls, close };
};

const variablesFor = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  POSTERN_RATE_LIMIT: "off",
  LOG_LEVEL: "error",
});

const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const count = (statuses: readonly number[]): Record<number, number> => {
  const counted: Record<number, number> = {};
  for (const status of statuses) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
};

const many = 24;
const all = <Result>(action: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: many }, (_, n) => action(n)));

describe.each(databases)("many requests at once to two nodes on $name", { timeout: 60_000 }, ({ make }) => {
  let databaseUrl: string;
  let urls: readonly string[];
  let end: () => Promise<void>;
  beforeAll(async () => {
    const { url, drop } = await make();
    databaseUrl = url;
    const nodes = await twoNodes(url, { quotas: { posts: { rows: 3 } } });
    urls = nodes.urls;
    end = async () => {
      await nodes.close();
      await drop();
    };
  });
  afterAll(() => end());

  const node = (n: number): string => `${urls[n % urls.length]}/api/v2`;

  /** Somebody new, whose tests nobody else disturbs. */
  const somebody = async (name: string) => {
    const email = `${name}@example.com`;
    const made = await fetch(`${node(0)}/users`, json("POST", { name, email, password }));
    expect(made.status).toBe(201);
    const signedIn = await fetch(`${node(0)}/sessions`, json("POST", { email, password }));
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    return { authorization: `Bearer ${token}` };
  };

  test("with the same If-Match change a row once", async () => {
    const authorization = await somebody("ann");
    const draft = { title: "T", body: "B" };
    const made = await fetch(`${node(0)}/users/me/posts`, json("POST", draft, authorization));
    const { id } = (await made.json()) as { id: string };
    const match = { ...authorization, "if-match": made.headers.get("etag") ?? "" };
    const answers = await all((n) => fetch(`${node(n)}/posts/${id}`, json("PATCH", { title: `Writer ${n}` }, match)));
    expect(count(answers.map(({ status }) => status))).toEqual({ 200: 1, 412: many - 1 });
    const won = (await answers.find(({ status }) => status === 200)?.json()) as { title: string };
    const read = await fetch(`${node(1)}/posts/${id}`, { headers: authorization });
    expect([read.headers.get("etag")?.slice(0, 3), ((await read.json()) as { title: string }).title]).toEqual([
      '"2.',
      won.title,
    ]);
  });

  test("with the same Idempotency-Key make one row", async () => {
    const authorization = await somebody("ben");
    const keyed = { ...authorization, "idempotency-key": '"one-and-only"' };
    const post = (n: number) => fetch(`${node(n)}/users/me/posts`, json("POST", { title: "T", body: "B" }, keyed));
    // Nodes share nothing but the database: what one is busy with, the other may only find out
    // there.
    const path = (await all(post)).map(({ status }) => status);
    expect(path.every((status) => status === 201 || status === 409)).toBe(true);
    expect(path).toContain(201);
    const replays = [await post(0), await post(1)];
    const bodies = await Promise.all(replays.map((answer) => answer.text()));
    expect(replays.map(({ status }) => status)).toEqual([201, 201]);
    expect(bodies[0]).toBe(bodies[1]);
    const list = await fetch(`${node(0)}/users/me/posts`, { headers: authorization });
    expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(1);
  });

  test("of one owner do not exceed the quota together", async () => {
    const authorization = await somebody("cleo");
    const post = (n: number) =>
      fetch(`${node(n)}/users/me/posts`, json("POST", { title: "T", body: "B" }, authorization));
    const statuses = (await all(post)).map(({ status }) => status);
    expect(count(statuses)).toEqual({ 201: 3, 409: many - 3 });
    const list = await fetch(`${node(1)}/users/me/posts`, { headers: authorization });
    expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(3);
  });

  test("to sign up with one address make one user, and each gets 201 or 409", async () => {
    const bob = { name: "Bob", email: "bob@example.com", password };
    const statuses = (
      await Promise.all(Array.from({ length: 6 }, (_, n) => fetch(`${node(n)}/users`, json("POST", bob))))
    ).map(({ status }) => status);
    expect(count(statuses)).toEqual({ 201: 1, 409: 5 });
  });

  test("of two administrators who demote each other leave one administrator", async () => {
    const admins: { id: string; token: string }[] = [];
    const { app, close } = await compose(readConfig(variablesFor(databaseUrl), false), {});
    afterwards(close);
    for (const name of ["carl", "dora"]) {
      const body = { name, email: `${name}@example.com`, password, role: "admin" };
      const made = await app.run({ operation: "users.create", principal: { kind: "operator", name: "test" }, body });
      const signedIn = await fetch(`${node(0)}/sessions`, json("POST", { email: body.email, password }));
      const { access_token: token } = (await signedIn.json()) as { access_token: string };
      admins.push({ id: (made.body as { id: string }).id, token });
    }
    const [carl, dora] = admins;
    const demote = (n: number, by: string | undefined, whom: string | undefined) =>
      fetch(
        `${node(n)}/users/${whom}`,
        json("PATCH", { role: "user" }, { authorization: `Bearer ${by}`, "if-match": "*" }),
      );
    const answers = await Promise.all([demote(0, carl?.token, dora?.id), demote(1, dora?.token, carl?.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      expect.toSatisfy((status) => [403, 404, 409].includes(status as number)),
    ]);
  });
});

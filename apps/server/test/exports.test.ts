import { expect, onTestFinished, test } from "vitest";
import { mysqlAnswers, mysqlDatabase } from "./database-servers.ts";
import { eventually, startProcess, temporaryDirectory } from "./server-process.ts";

const password = "correct horse battery";

const onSqlite = { name: "SQLite", variables: async () => ({}) };
const onMariaDb = {
  name: "MariaDB",
  variables: async () => {
    const database = mysqlDatabase();
    await database.create();
    onTestFinished(() => database.drop());
    return { DATABASE_URL: database.url, POSTERN_SECRET_KEY: Buffer.alloc(32, 9).toString("base64") };
  },
};

test.each([onSqlite, ...(mysqlAnswers ? [onMariaDb] : [])])(
  "a user takes their data with them over HTTP on $name",
  async ({ variables }) => {
    const { url, kill, exited } = await startProcess(temporaryDirectory(), await variables());
    const send = (method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const signUp = async (name: string): Promise<string> => {
      const email = `${name}@example.com`;
      expect((await send("POST", "/api/v2/users", { body: { name, email, password } })).status).toBe(201);
      const signedIn = await send("POST", "/api/v2/sessions", { body: { email, password } });
      return ((await signedIn.json()) as { access_token: string }).access_token;
    };
    const [ada, bob] = [await signUp("ada"), await signUp("bob")];
    const draft = { title: "Mine", body: "of Ada 🙂" };
    expect((await send("POST", "/api/v2/users/me/posts", { token: ada, body: draft })).status).toBe(201);

    const asked = await send("POST", "/api/v2/users/me/exports", { token: ada });
    expect(asked.status).toBe(202);
    const location = asked.headers.get("location") ?? "";
    expect(location).toMatch(/^\/api\/v2\/users\/[-0-9a-f]{36}\/exports\/[-0-9a-f]{36}$/);
    const stateOf = async () =>
      ((await (await send("GET", location, { token: ada })).json()) as { state: string }).state;
    await eventually(async () => (await stateOf()) !== "pending");
    expect(await stateOf()).toBe("ready");
    const archive = await send("GET", `${location}/archive`, { token: ada });
    expect(archive.status).toBe(200);
    expect(archive.headers.get("content-type")).toMatch(/^application\/json/);
    expect(archive.headers.get("content-disposition")).toMatch(/^attachment; filename="export-[-0-9]{10}\.json"$/);
    expect(archive.headers.get("cache-control")).toBe("no-store");
    const held = await archive.json();
    expect(held).toMatchObject({ user: { email: "ada@example.com" }, resources: { posts: [draft] } });
    expect(JSON.stringify(held)).not.toMatch(/bob@|digest|argon|scrypt|"password"/);
    for (const path of [location, `${location}/archive`]) {
      expect((await send("GET", path, { token: bob })).status).toBe(404);
      expect((await send("GET", path)).status).toBe(401);
    }
    kill("SIGTERM");
    await exited;
  },
);

import { builtInResources } from "@postern/app";
import { type Composition, compose, readConfig } from "@postern/server";
import { describe, expect, test } from "vitest";
import { create, environment, postern, serve } from "./command-line.ts";

interface Listed {
  readonly id: string;
  readonly user_id: string;
}

const listed = async (...line: string[]): Promise<readonly Listed[]> =>
  JSON.parse((await postern([...line, "--json"])).out).items;

/** Runs something on the database of the command line. */
const onDatabase = async <Result>(work: (composition: Composition) => Promise<Result>): Promise<Result> => {
  const composition = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  try {
    return await work(composition);
  } finally {
    await composition.close();
  }
};

const insert = (name: string, row: Readonly<Record<string, string | readonly string[] | null>>): Promise<string> =>
  onDatabase(async ({ storage, ports }) => {
    const resource = builtInResources.find((one) => one.name === name);
    if (resource === undefined) throw new Error(`there is no ${name}`);
    const id = ports.ids.uuid();
    const now = new Date(ports.clock.now()).toISOString();
    await storage.transaction(({ resources }) =>
      resources.insert(resource, { id, created_at: now, updated_at: now, ...row }),
    );
    return id;
  });

const userId = async (email: string): Promise<string> =>
  JSON.parse((await postern(["users", "show", email, "--json"])).out).id;

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

describe("postern sessions", () => {
  test("lists sign-ins, and ends one or all of a user, so that a running server refuses them", async () => {
    const server = await serve();
    try {
      await create("ada@example.com");
      await create("bob@example.com");
      const signIn = async (email: string): Promise<string> => {
        const answer = await fetch(`${server.url}/api/v2/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "telephone/1" },
          body: JSON.stringify({ email, password: "correct horse battery" }),
        });
        return ((await answer.json()) as { access_token: string }).access_token;
      };
      const statusOf = async (token: string): Promise<number> =>
        (await fetch(`${server.url}/api/v2/sessions`, { headers: { authorization: `Bearer ${token}` } })).status;
      const bobs = await signIn("bob@example.com");
      const [first, second] = [await signIn("ada@example.com"), await signIn("ada@example.com")];
      const sessions = await listed("sessions", "list", "--user", "ada@example.com");
      expect([sessions.length, (await listed("sessions", "list")).length]).toEqual([2, 3]);
      const table = (await postern(["sessions", "list", "--user", "ada@example.com"])).out;
      expect(table).toContain("telephone/1");
      expect(JSON.stringify(sessions)).not.toContain("digest");

      const [id = ""] = sessions.map((session) => session.id);
      expect(await postern(["sessions", "revoke", id])).toMatchObject({ code: 7, out: "" });
      const ended = await postern(["sessions", "revoke", id, "--yes"]);
      expect(ended).toMatchObject({ code: 0, out: `Ended the session ${id}.\n` });
      expect((await postern(["sessions", "revoke", id, "--yes"])).code).toBe(3);
      expect(await listed("sessions", "list", "--user", "ada@example.com")).toHaveLength(1);
      const all = ["sessions", "revoke", "--user", "ada@example.com"];
      expect((await postern(all)).code).toBe(7);
      expect((await postern([...all, "--yes"])).out).toBe("Ended 1 session of ada@example.com.\n");
      expect((await postern([...all, "--yes"])).out).toBe("Ended 0 sessions of ada@example.com.\n");
      // What another process ended is refused within a second (docs/performance/rest.md).
      await expect.poll(() => Promise.all([statusOf(first), statusOf(second)]), { timeout: 5_000 }).toEqual([401, 401]);
      expect(await statusOf(bobs)).toBe(200);
    } finally {
      await server.stop();
    }
  });

  test("says what to name, and whom it does not know", async () => {
    await postern(["migrate"]);
    expect(await postern(["sessions", "revoke"])).toMatchObject({ code: 2, err: expect.stringContaining("--user") });
    expect((await postern(["sessions", "revoke", "x", "--user", "a@example.com"])).code).toBe(2);
    expect((await postern(["sessions", "revoke", "--user", "a@example.com", "--yes"])).code).toBe(3);
    expect((await postern(["grants", "list", "--user", "a@example.com"])).code).toBe(3);
    expect((await postern(["outside-identities", "list"])).code).toBe(2);
    expect((await postern(["grants", "--help"])).out).toContain("revoke");
  });
});

test("postern keys revoke --user ends all API keys of a user, and of no one else", async () => {
  await postern(["migrate"]);
  for (const email of ["ada@example.com", "bob@example.com"]) {
    await create(email);
    const user_id = await userId(email);
    for (let n = 0; n < 2; n += 1) {
      const key = { user_id, name: "k", scopes: ["posts:read"], secret_digest: `${email}${n}` };
      await insert("api_key", { ...key, expires_at: null, last_used_at: null });
    }
  }
  const ended = await postern(["keys", "revoke", "--user", "ada@example.com", "--yes"]);
  expect([ended.code, ended.out]).toEqual([0, "Ended 2 API keys of ada@example.com.\n"]);
  expect(await listed("keys", "list")).toHaveLength(2);
  expect(await listed("keys", "list", "--user", "ada@example.com")).toHaveLength(0);
});

test("postern grants lists what users allowed clients, and ends one or all of a user", async () => {
  await postern(["migrate"]);
  await create("ada@example.com");
  const user_id = await userId("ada@example.com");
  const digests = { challenge: "c", code_digest: "d", family_digest: null, refresh_digest: null };
  const unused = { previous_digest: null, successor: null, successor_until: null };
  const make = (client_id: string) =>
    insert("grant", {
      ...{ user_id, client_id, client_name: "Reader", scopes: ["posts:read"] },
      ...{
        redirect_uri: "https://app.example.com/",
        ...digests,
        ...unused,
        last_used_at: tomorrow(),
        expires_at: tomorrow(),
      },
    });
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const id = await make(first);
  await make(first);
  await make(second);
  expect(await listed("grants", "list", "--user", "ada@example.com")).toHaveLength(3);
  expect((await postern(["grants", "list"])).out).toMatch(/Reader.*posts:read/);
  expect((await postern(["grants", "revoke", id, "--yes"])).out).toBe(`Ended the grant ${id}.\n`);
  const all = await postern(["grants", "revoke", "--user", "ada@example.com", "--yes"]);
  expect(all.out).toBe("Ended 2 grants of ada@example.com.\n");
  const audit = JSON.parse((await postern(["audit", "list", "--action", "grants.delete", "--json"])).out);
  expect(audit.items).toHaveLength(3);
});

test("postern outside-identities lists the links of a user, ends one, and lets it be linked again", async () => {
  await postern(["migrate"]);
  await create("ada@example.com");
  await create("bob@example.com");
  const link = { user_id: await userId("ada@example.com"), issuer: "https://id.example.com", subject: "ada" };
  const id = await insert("outside_identity", { ...link, identity: "f".repeat(64), client_id: null, state: "linked" });
  const ofAda = ["--user", "ada@example.com"];
  expect((await postern(["outside-identities", "list", ...ofAda])).out).toMatch(/https:\/\/id\.example\.com.*linked/);
  const remove = ["outside-identities", "remove", id];
  expect((await postern([...remove, ...ofAda])).code).toBe(7);
  expect((await postern([...remove, "--user", "bob@example.com", "--yes"])).code).toBe(3);
  expect((await postern([...remove, ...ofAda, "--yes"])).out).toBe(`Ended the link ${id} of ada@example.com.\n`);
  expect(await listed("outside-identities", "list", ...ofAda)).toMatchObject([{ id, state: "ended" }]);
  const forgotten = await postern([...remove, ...ofAda, "--relink", "--yes"]);
  expect(forgotten.out).toContain("can be linked again");
  expect(await listed("outside-identities", "list", ...ofAda)).toEqual([]);
});

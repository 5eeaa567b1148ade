import { checkAuditLog, sealAuditLog } from "@postern/app/internal";
import { compose, readConfig } from "@postern/server";
import { describe, expect, test } from "vitest";
import { create, environment, postern, serve } from "./command-line.ts";

describe("postern audit", () => {
  test("lists what was done through a running server and on the command line, page by page, by every filter of the API", async () => {
    const server = await serve();
    try {
      await create("ada@example.com", "--role", "admin");
      const credentials = { email: "ada@example.com", password: "correct horse battery" };
      const signIn = (password: string) =>
        fetch(`${server.url}/api/v2/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ ...credentials, password }),
        });
      const { access_token: token } = (await (await signIn(credentials.password)).json()) as { access_token: string };
      expect((await signIn("wrong horse battery")).status).toBe(401);
      const made = await fetch(`${server.url}/api/v2/users/me/posts`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${token}`,
          "x-request-id": "from-a-test",
        },
        body: JSON.stringify({ title: "A", body: "B" }),
      });
      const post = (await made.json()) as { id: string; user_id: string };

      const list = async (...more: string[]) => {
        const { code, out } = await postern(["audit", "list", "--json", ...more]);
        expect(code).toBe(0);
        const page: { items: { action: string; result: string }[]; next: string | null } = JSON.parse(out);
        return { done: page.items.map(({ action, result }) => `${action} ${result}`), ...page };
      };
      const all = [
        "posts.create done",
        "sessions.create invalid_credentials",
        "sessions.create done",
        "signing-keys.create done",
        "signing-keys.create done",
        "users.create done",
      ];
      expect((await list()).done).toEqual(all);
      expect((await list("--actor", "server", "--action", "users.create")).done).toEqual(all.slice(-1));
      expect((await list("--actor", post.user_id, "--action", "posts.create")).done).toEqual(all.slice(0, 1));
      expect((await list("--resource", "post", "--id", post.id)).done).toEqual(all.slice(0, 1));
      expect((await list("--since", "1h", "--until", "1m")).done).toEqual([]);
      expect((await list("--since", "1h")).done).toEqual(all);

      const first = await list("--limit", "3");
      expect(first.done).toEqual(all.slice(0, 3));
      expect(await list("--limit", "3", "--cursor", String(first.next))).toMatchObject({
        done: all.slice(3),
        next: null,
      });
      const shown = await postern(["audit", "list", "--limit", "1"]);
      expect(shown.out.split("\n")[1]?.split("\t").slice(1)).toEqual([
        `user ${post.user_id}`,
        "posts.create",
        "post",
        post.id,
        "title,body,status",
        "done",
        "127.0.0.1",
        "from-a-test",
      ]);
      expect(shown.err).toMatch(/^More: --cursor \S+\n$/);
    } finally {
      await server.stop();
    }
  });

  test("exports everything, oldest first, and finds what was changed, removed or cut off", async () => {
    await postern(["migrate"]);
    const names = Array.from({ length: 3 }, (_, n) => `user${n}@example.com`);
    for (const name of names) await create(name);
    const { ports, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await sealAuditLog(ports, async () => true);
    const exported = (await postern(["audit", "export", "--action", "users.create"])).out.trimEnd().split("\n");
    const entries = exported.map((line): { place: number; digest: string } => JSON.parse(line));
    expect(entries.map(({ place }) => place)).toEqual([1, 2, 3]);
    expect((await postern(["audit", "export", "--since", "1h", "--until", "1m"])).out).toBe("");

    const fine = await postern(["audit", "verify"]);
    const head = `3:${entries[2]?.digest}`;
    expect([fine.code, fine.out]).toEqual([0, ""]);
    expect(fine.err).toContain(`with --head: ${head}\n`);
    expect(fine.err).toContain("The audit log is unchanged.");
    expect((await postern(["audit", "verify", "--head", head])).code).toBe(0);
    expect(await postern(["audit", "verify", "--head", "three"])).toMatchObject({ code: 2, out: "" });

    const lost = `9:${entries[2]?.digest}`;
    expect(await postern(["audit", "verify", "--head", lost])).toMatchObject({
      code: 8,
      out: "head: the seal that you kept, of place 9, is not in the log\n",
    });
    // Seals that were not made from these entries.
    await ports.storage.auditChain.append([{ place: 6, entryId: 999, digest: "forged" }], 0);
    expect((await postern(["doctor"])).out).toMatch(/ok {4}audit log: was not compared yet/);
    await checkAuditLog(ports, async () => true);
    expect((await postern(["doctor"])).out).toMatch(/FAIL {2}audit log: .*\(2 findings\); run postern audit verify/);
    const found = await postern(["audit", "verify"]);
    expect([found.code, found.out.split("\n")]).toEqual([
      8,
      [
        "gap: the entries at places 4 to 5 and their seals are missing",
        "removed: entry 999, at place 6, is missing",
        "",
      ],
    ]);
    const asJson = await postern(["audit", "verify", "--json"]);
    expect(JSON.parse(asJson.out)).toEqual({
      findings: [
        { kind: "gap", place: 4, up_to: 5 },
        { kind: "removed", place: 6, entry_id: 999 },
      ],
      has_more: false,
      kept_is_pruned: false,
      checked: 4,
      head: { place: 6, digest: "forged" },
      waiting: 0,
    });
    await close();
  });

  test("refuses what the API refuses, and malformed times", async () => {
    await postern(["migrate"]);
    expect(await postern(["audit", "list", "--limit", "0"])).toMatchObject({ code: 2, out: "" });
    expect(await postern(["audit", "list", "--since", "soon"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--since takes"),
    });
    for (const command of ["list", "export"])
      expect(await postern(["audit", command, "--since", "1h", "--until", "2h"])).toMatchObject({
        code: 2,
        err: "--until is not after --since, so nothing can match.\n",
      });
    expect(await postern(["audit", "list", "--cursor", "x"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("[invalid_cursor]"),
    });
  });
});

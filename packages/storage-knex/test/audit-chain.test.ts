import { pruneAuditLog, sealAuditLog, verifyAuditLog } from "@postern/app/internal";
import { memoryPorts } from "@postern/core/memory";
import type { AuditEntry } from "@postern/core/ports";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { mysqlDialect } from "../src/mysql/dialect.ts";
import { createPostgresDialect } from "../src/postgres/dialect.ts";
import { entriesOf } from "../src/stores/knex-audit-log.ts";
import { compilingDialect, onEachDatabase, withKnex } from "./databases.ts";

const always = async () => true;
const tenMinutes = 10 * 60_000;

const entry = (at: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at,
  actor: { kind: "operator", id: "Zoë 🗝" },
  credential: "cli",
  action: "users.update",
  resource: "user",
  resourceId: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  result: "done",
  requestId: "request-1",
  address: "2001:db8::1",
  fields: ["role"],
  ...changes,
});

onEachDatabase("the chain of the audit log", (databases) => {
  /** Ten entries, sealed half an hour ago. */
  const scene = async () => {
    const opened = await databases.fresh();
    const { storage, deprecatedUses } = opened;
    const { secretBox, clock, randomness } = memoryPorts();
    const ports = { secretBox, clock, randomness, storage, deprecatedUses };
    const seal = () => sealAuditLog(ports, always);
    for (let n = 0; n < 10; n += 1) await storage.audit.append(entry(clock.now() + n));
    await seal();
    const ids = (await storage.auditChain.list({ after: 0, limit: 10 })).map(({ entryId }) => entryId);
    await clock.advance(3 * tenMinutes);
    const url = databases.urlOf(opened);
    return {
      storage,
      ports,
      /** The id of the entry at a place. */
      idAt: (place: number): number => ids[place - 1] ?? 0,
      clock,
      seal,
      url,
      verify: () => verifyAuditLog(ports),
      tamper: (change: (db: Knex) => Promise<unknown>) => withKnex(url, change),
    };
  };

  test("holds while nobody changes it, and through pruning", async () => {
    const { storage, ports, seal, verify, clock } = await scene();
    expect((await verify()).findings).toEqual([]);
    await storage.audit.append(entry(clock.now(), { actor: { kind: "anonymous" }, fields: [] }));
    expect((await verify()).waiting).toBe(1);
    await seal();
    expect(await pruneAuditLog(storage, clock.now(), 4)).toBe(4);
    const report = await verifyAuditLog(ports);
    expect(report).toMatchObject({ findings: [], checked: 7, waiting: 0, anchor: { place: 4 }, head: { place: 11 } });
  });

  test.each([
    [
      "a changed entry",
      (db: Knex, id: number) => db("audit_log").where({ id }).update({ actor_id: "somebody else" }),
      "changed",
    ],
    [
      "an entry whose time was changed",
      (db: Knex, id: number) => db("audit_log").where({ id }).increment("at", 1),
      "changed",
    ],
    [
      "an entry whose fields were changed",
      (db: Knex, id: number) => db("audit_log").where({ id }).update("fields", ""),
      "changed",
    ],
    ["a removed entry", (db: Knex, id: number) => db("audit_log").where({ id }).delete(), "removed"],
    [
      "a changed seal",
      (db: Knex) =>
        db("sealed_entry")
          .where("place", 4)
          .update({ digest: "x".repeat(43) }),
      "changed",
    ],
  ] as const)("tells of %s, and where it is", async (_what, change, kind) => {
    const { verify, tamper, idAt } = await scene();
    await tamper((db) => change(db, idAt(4)));
    expect((await verify()).findings).toEqual([{ kind, place: 4, entryId: idAt(4) }]);
  });

  test("reports an address that was erased although its account exists, and a seal without a salt", async () => {
    const { verify, tamper, idAt, storage, ports, seal, clock } = await scene();
    const account = { actor: { kind: "user", id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a" } } as const;
    await storage.audit.append(entry(clock.now(), account));
    await seal();
    const others = (await storage.auditChain.list({ after: 10, limit: 1 }))[0]?.entryId ?? 0;
    const actorId = account.actor.id;
    const [found] = await storage.auditChain.withOrigin({ actorId, after: 0, limit: 1 });
    const { digest } = ports.secretBox;
    const origin = ["postern.audit.origin.1", found?.seal?.salt, found?.address, found?.requestId];
    const commitment = await digest(JSON.stringify(origin));
    await storage.auditChain.eraseOrigins([{ entryId: others, address: `erased:${commitment}`, requestId: "erased" }]);
    await tamper((db) => db("sealed_entry").where("place", 2).update("salt", null));
    expect((await verify()).findings).toEqual([
      { kind: "changed", place: 2, entryId: idAt(2) },
      { kind: "hidden", place: 11, entryId: others },
    ]);
  });

  test("lists of one actor or one resource do not read the whole log", async () => {
    const { storage, seal, clock, url } = await scene();
    const other = { actor: { kind: "operator", id: "Ada" } } as const;
    for (let n = 0; n < 3; n += 1) {
      for (let each = 0; each < 200; each += 1) await storage.audit.append(entry(clock.now(), other));
      await seal();
      await clock.advance(tenMinutes + 1);
    }
    const dialect = { SQLite: compilingDialect, MariaDB: mysqlDialect, PostgreSQL: createPostgresDialect() }[
      databases.name
    ];
    const filters = [{ actorId: "Zoë 🗝" }, { resourceId: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a", actorId: "nobody" }];
    for (const filter of filters) {
      const { sealed, unsealed } = entriesOf({ dialect }, filter);
      await withKnex(url, async (db) => {
        if (databases.name === "MariaDB") await db.raw("ANALYZE TABLE audit_log, sealed_entry");
        // So few rows are read as a whole, unless that is forbidden.
        if (databases.name === "PostgreSQL") await db.raw("SET enable_seqscan = off");
        for (const query of [sealed, unsealed]) {
          const { sql, bindings } = (query ?? sealed).select("audit_log.id").orderBy("audit_log.id").limit(10).toSQL();
          const plan = await db.raw(`EXPLAIN ${databases.name === "SQLite" ? "QUERY PLAN " : ""}${sql}`, [...bindings]);
          expect(JSON.stringify(plan), sql).not.toMatch(/SCAN audit_log|"ALL"|Seq Scan on audit_log/);
        }
      });
    }
  });

  test("reports entries that were removed with their seals, and a removed beginning that was not pruned", async () => {
    const { verify, tamper, idAt } = await scene();
    await tamper(async (db) => {
      await db("audit_log").whereIn("id", [1, 2, 5, 6].map(idAt)).delete();
      await db("sealed_entry").whereIn("place", [1, 2, 5, 6]).delete();
    });
    expect((await verify()).findings).toEqual([
      { kind: "gap", place: 1, upTo: 2 },
      { kind: "gap", place: 5, upTo: 6 },
    ]);
  });

  test("reports an entry that replaced another one, even with a seal of its own", async () => {
    const { verify, tamper, idAt } = await scene();
    await tamper(async (db) => {
      await db("audit_log").where("id", idAt(4)).delete();
      await db("sealed_entry").where("place", 4).delete();
      for (let place = 5; place <= 10; place += 1)
        await db("sealed_entry")
          .where({ place })
          .update("place", place - 1);
    });
    const { findings } = await verify();
    // All later digests cover their places.
    expect(findings.map(({ kind, place }) => [kind, place])).toEqual([4, 5, 6, 7, 8, 9].map((at) => ["changed", at]));
  });

  test("reports an entry that was inserted later among the old ones", async () => {
    const { verify, tamper, seal, idAt } = await scene();
    const id = idAt(3);
    await tamper(async (db) => {
      const row = await db("audit_log").where({ id }).first();
      await db("audit_log")
        .where({ id })
        .update("id", id + 100);
      await db("audit_log").insert({ ...row, id, actor_id: "nobody" });
      await db("sealed_entry")
        .where("entry_id", id)
        .update("entry_id", id + 100);
    });
    await seal();
    expect((await verify()).findings).toEqual([
      { kind: "changed", place: 3, entryId: id + 100 },
      { kind: "unsealed", entryId: id },
    ]);
  });

  test("takes in an entry whose transaction was committed after later ones had been sealed", async () => {
    const { storage, seal, verify, clock, tamper } = await scene();
    const early = () => storage.audit.append(entry(clock.now(), { action: "early" }));
    await tamper(async (db) => {
      const [{ id: _, ...row }] = await db("audit_log").orderBy("id", "desc").limit(1);
      const late = { ...row, action: "late" };
      if (databases.name === "SQLite") {
        // Only one transaction writes at a time there, so the later entry always has the larger id.
        await early();
        await seal();
        await db("audit_log").insert(late);
        return;
      }
      await db.transaction(async (open) => {
        await open("audit_log").insert(late);
        await early();
        await seal();
      });
    });
    await seal();
    const added = (await storage.auditChain.list({ after: 10, limit: 9 })).map(({ entry: added }) => added);
    expect(added.map((one) => one?.action)).toEqual(["early", "late"]);
    if (databases.name === "MariaDB") expect(added[0]?.id).toBeGreaterThan(added[1]?.id ?? 0);
    expect(await verify()).toMatchObject({ findings: [], checked: 12, waiting: 0 });
  });

  test("is made once by several processes that seal and write at the same time", async () => {
    const { storage, seal, verify, clock } = await scene();
    const writes = Array.from({ length: 30 }, async () => {
      await storage.transaction(({ audit }) => audit.append(entry(clock.now())));
    });
    await Promise.all([...writes, seal(), seal(), seal()]);
    await seal();
    expect(await verify()).toMatchObject({ findings: [], checked: 40, waiting: 0 });
  });
});

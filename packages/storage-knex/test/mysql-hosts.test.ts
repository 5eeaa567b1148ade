import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newEvent, rejectsWith } from "@postern/core/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openStorage } from "./databases.ts";
import { type ReplicatedServer, replicatedServer, urlOf } from "./private-replicas.ts";
import { startsMariadb } from "./private-server.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

describe.skipIf(!startsMariadb)("a storage on a MariaDB and its replica", () => {
  const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), "postern-hosts-")));
  let servers: readonly ReplicatedServer[] = [];

  beforeAll(async () => {
    servers = await Promise.all(directories.map(replicatedServer));
    const [primary, replica] = servers;
    await primary?.start();
    await primary?.lead();
    await primary?.command("CREATE USER postern@127.0.0.1", "GRANT ALL ON postern.* TO postern@127.0.0.1");
    if (primary !== undefined) await replica?.follow(primary);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end("SIGKILL")));
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  test("writes to the server that takes writes, and drops its connections when another one becomes that", async () => {
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error("there are two");
    // The first host is the replica, and stays in front.
    const { migrate, storage, liveness, lowLimits } = openStorage({ url: urlOf(second, first) });
    const judge = openStorage({ url: urlOf(second, first) });
    await migrate.latest();
    const accept = async (id: string) => (await storage.events.accept([newEvent(id)]))[0]?.outcome;
    expect(await accept("evt_1")).toBe("accepted");
    expect(await lowLimits({ longestBytes: 1 })).toEqual([]);
    const idle = await judge.storage.events.list({ limit: 9 });
    expect(idle.map(({ eventId }) => eventId)).toEqual(["evt_1"]);
    const lease = await liveness.hold(7);
    const locks = (server: ReplicatedServer) => server.command("SELECT IS_USED_LOCK('postern:runner:7') AS holder");
    expect(await locks(second)).toEqual([{ holder: null }]);

    await first.command("SET GLOBAL read_only = 1");
    await rejectsWith("unavailable", () => storage.checkWritable());
    await second.lead();
    expect(await accept("evt_2")).toBe("accepted");
    const warned = (await lowLimits({ longestBytes: 1 })).map(({ name }) => name);
    expect(warned).toEqual(["rpl_semi_sync_master_enabled"]);
    expect(await accept("evt_1")).toBe("duplicate");
    // The lock follows.
    await vi.waitFor(async () => expect(await locks(first)).toEqual([{ holder: null }]), 10_000);
    await vi.waitFor(async () => expect(await locks(second)).not.toEqual([{ holder: null }]), 10_000);
    await lease.release();

    // A storage that only reads learns of it with its first write.
    await judge.storage.checkWritable();
    expect(await judge.storage.events.list({ limit: 9 })).toHaveLength(2);
  });

  test("refuses a server that takes no writes, and says so", async () => {
    const [replica] = servers;
    if (replica === undefined) throw new Error("there are two");
    await replica.command("SET GLOBAL read_only = 1");
    const { storage } = openStorage({ url: urlOf(replica) });
    const refusal = await storage.check().catch((thrown: Error) => thrown.cause);
    expect(String(refusal)).toContain("the server takes no writes: let the URL lead to the primary");
  });
});

import { pruneAuditLog, sealAuditLog, verifyAuditLog } from "@postern/app/internal";
import { memoryPorts } from "@postern/core/memory";
import type { AuditEntry } from "@postern/core/ports";
import { describe, expect, test } from "vitest";

const day = 24 * 3_600_000;
const always = async () => true;

const scene = () => {
  const { secretBox, storage, clock, randomness } = memoryPorts();
  const ports = { secretBox, storage, clock, randomness };
  const append = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const entry: AuditEntry = {
        at: clock.now(),
        actor: { kind: "anonymous" },
        action: "sessions.create",
        result: "invalid_credentials",
        requestId: `request-${n}`,
        address: "192.0.2.1",
        fields: [],
      };
      await storage.audit.append(entry);
    }
  };
  return { ports, storage, clock, append, seal: () => sealAuditLog(ports, always) };
};

describe("the chain of the audit log", () => {
  test("seals every entry once, in order, and holds", async () => {
    const { ports, storage, append, seal } = scene();
    await append(3);
    expect(await seal()).toBe(3);
    expect(await seal()).toBe(0);
    await append(2);
    expect(await seal()).toBe(2);
    const seals = await storage.auditChain.list({ after: 0, limit: 10 });
    expect(seals.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(seals.map(({ digest }) => digest)).size).toBe(5);
    expect(await verifyAuditLog(ports)).toEqual({
      findings: [],
      hasMore: false,
      checked: 5,
      head: { place: 5, digest: seals[4]?.digest },
      waiting: 0,
      keptIsPruned: false,
    });
  });

  test("goes on in batches for as long as it may", async () => {
    const { append, seal, ports } = scene();
    await append(2_100);
    expect(await sealAuditLog(ports, async () => false)).toBe(200);
    expect(await seal()).toBe(1900);
    expect((await verifyAuditLog(ports)).checked).toBe(2100);
  });

  test("is made by several processes at once without a gap", async () => {
    const { append, seal, ports } = scene();
    await append(40);
    await Promise.all([seal(), seal(), seal()]);
    await seal();
    const { findings, checked, waiting } = await verifyAuditLog(ports);
    expect([findings, checked, waiting]).toEqual([[], 40, 0]);
  });

  test("is pruned from its beginning, never beyond what is old enough, and holds on", async () => {
    const { append, seal, ports, storage, clock } = scene();
    await append(3);
    await seal();
    await clock.advance(day);
    await append(2);
    expect(await pruneAuditLog(storage, clock.now(), 2)).toBe(2);
    expect(await pruneAuditLog(storage, clock.now(), 1000)).toBe(1);
    expect(await pruneAuditLog(storage, clock.now(), 1000)).toBe(0);
    const pruned = await verifyAuditLog(ports);
    expect([pruned.findings, pruned.checked, pruned.waiting]).toEqual([[], 0, 2]);
    expect([pruned.anchor?.place, pruned.head?.place]).toEqual([3, 3]);
    await seal();
    const report = await verifyAuditLog(ports);
    expect([report.findings, report.checked, report.head?.place]).toEqual([[], 2, 5]);
  });

  test("does not take pruning during a check for a gap", async () => {
    const { append, seal, ports, storage, clock } = scene();
    await append(1_200);
    await seal();
    const { secretBox } = ports;
    let looked = 0;
    const report = await verifyAuditLog({
      ...ports,
      storage: {
        ...storage,
        auditChain: {
          ...storage.auditChain,
          list: async (query) => {
            const page = await storage.auditChain.list(query);
            looked += 1;
            if (looked === 1) await pruneAuditLog(storage, clock.now() + 1, 900);
            return page;
          },
        },
      },
      secretBox,
    });
    expect(report.findings).toEqual([]);
  });

  test("knows a head that was kept elsewhere, and misses one that is gone", async () => {
    const { append, seal, ports, storage, clock } = scene();
    await append(2);
    await seal();
    const kept = (await verifyAuditLog(ports)).head;
    if (kept === undefined) throw new Error("nothing was sealed");
    await append(1);
    await seal();
    expect((await verifyAuditLog(ports, { kept })).findings).toEqual([]);
    const forged = { ...kept, digest: "other" };
    expect((await verifyAuditLog(ports, { kept: forged })).findings).toEqual([{ kind: "head", place: 2 }]);
    const later = { place: 9, digest: "gone" };
    expect((await verifyAuditLog(ports, { kept: later })).findings).toEqual([{ kind: "head", place: 9 }]);
    await pruneAuditLog(storage, clock.now() + 1, 1000);
    expect(await verifyAuditLog(ports, { kept })).toMatchObject({ findings: [], keptIsPruned: true });
  });
});

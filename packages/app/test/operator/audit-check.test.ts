import { defaultRetention } from "@postern/app";
import { auditCheckOf, checkAuditLog, findingsOf, sealAuditLog } from "@postern/app/internal";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import { createStorageGauges } from "../../src/operator/storage-gauges.ts";

const always = async () => true;
const never = async () => false;

/** A log of so many sealed entries. */
const scene = async (entries: number) => {
  const ports = memoryPorts();
  const { storage, clock, telemetry } = ports;
  const append = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      await storage.audit.append({
        at: clock.now(),
        actor: { kind: "operator", id: "root" },
        action: "users.update",
        result: "done",
        requestId: `request-${n}`,
        address: "local",
        fields: [],
      });
    }
    await sealAuditLog(ports, always);
  };
  await append(entries);
  const gauge = async () => {
    await createStorageGauges(ports, defaultRetention)();
    return telemetry.gauged("audit_findings");
  };
  return { ports, storage, append, gauge };
};

test("the check in the background goes along the chain in steps, and begins again", async () => {
  const { ports, append, gauge } = await scene(1_200);
  const first = await checkAuditLog(ports, never);
  expect([first.current.upTo?.place, first.finished]).toEqual([500, undefined]);
  expect((await checkAuditLog(ports, never)).current.upTo?.place).toBe(1_000);
  const { finished } = await checkAuditLog(ports, never);
  expect([finished?.findings, finished?.head?.place]).toEqual([0, 1_200]);
  await append(3);
  expect((await checkAuditLog(ports, always)).finished?.head?.place).toBe(1_203);
  expect(await gauge()).toBe(0);
});

test("tells of a changed entry until a whole check finds none", async () => {
  const { ports, storage, gauge } = await scene(1_200);
  const honest = storage.auditChain.list;
  const tampered: typeof honest = async (query) =>
    (await honest(query)).map((sealed) =>
      sealed.place !== 700 || sealed.entry === undefined
        ? sealed
        : { ...sealed, entry: { ...sealed.entry, action: "users.delete" } },
    );
  const broken = { ...ports, storage: { ...storage, auditChain: { ...storage.auditChain, list: tampered } } };
  expect(findingsOf(await checkAuditLog(broken, never))).toBe(0);
  expect(findingsOf(await checkAuditLog(broken, never))).toBe(1);
  expect(await gauge()).toBe(1);
  const { finished } = await checkAuditLog(broken, never);
  expect(finished).toMatchObject({ findings: 1, first: { kind: "changed", place: 700 } });
  expect(findingsOf(await checkAuditLog(ports, never))).toBe(1);
  await checkAuditLog(ports, always);
  expect(await gauge()).toBe(0);
});

test("tells of an end that was cut off after a check", async () => {
  const { ports, storage } = await scene(20);
  expect((await checkAuditLog(ports, always)).finished?.findings).toBe(0);
  const honest = storage.auditChain.list;
  const cut: typeof honest = async (query) => (await honest(query)).filter(({ place }) => place <= 15);
  const broken = { ...ports, storage: { ...storage, auditChain: { ...storage.auditChain, list: cut } } };
  for (let pass = 0; pass < 2; pass += 1) {
    const { finished } = await checkAuditLog(broken, always);
    expect(finished).toMatchObject({ findings: 1, first: { kind: "head", place: 20 } });
  }
  expect(findingsOf(await auditCheckOf(storage))).toBe(1);
});

import { describe, expect, test } from "vitest";
import { memoryDeprecatedUses } from "../src/memory/memory-deprecated-uses.ts";
import { memoryIds } from "../src/memory/memory-ids.ts";
import { memoryOneTimeCodes } from "../src/memory/memory-one-time-codes.ts";
import {
  inProcessWakeup,
  livenessRegistry,
  memoryAlerts,
  memoryCommonPasswords,
  memoryFetcher,
  memoryJwts,
  memoryLiveness,
  memoryMailer,
  memoryPasswordHasher,
  memoryRateLimitStore,
  memorySecretBox,
  memorySigner,
  memoryTelemetry,
  seededRandomness,
  virtualClock,
} from "../src/memory/small-ports.ts";
import type { ForeignJwk } from "../src/ports/jwt-verifier.ts";
import type { Contract } from "../src/testing/contract.ts";
import type { LivenessSubject } from "../src/testing/liveness-contract.ts";
import {
  alertsContract,
  clockContract,
  commonPasswordsContract,
  deprecatedUseStoreContract,
  fetcherContract,
  fetcherTarget,
  idsContract,
  type JwtSender,
  jwtVerifierContract,
  livenessContract,
  mailerContract,
  oneTimeCodesContract,
  passwordHasherContract,
  randomnessContract,
  rateLimitStoreContract,
  secretBoxContract,
  signerContract,
  telemetryContract,
} from "../src/testing/small-ports.ts";
import { wakeupContract } from "../src/testing/wakeup-contract.ts";

const keeps = <Subject>(name: string, contract: Contract<Subject>, subject: () => Subject): void => {
  describe(`${name} keeps its contract`, () => {
    for (const [promise, keep] of Object.entries(contract)) test(promise, () => keep(subject()));
  });
};

keeps("memoryCommonPasswords", commonPasswordsContract, () => memoryCommonPasswords());
keeps("virtualClock", clockContract, () => {
  const clock = virtualClock();
  return { clock, pass: clock.advance };
});
keeps("memoryIds", idsContract, memoryIds);
keeps("seededRandomness", randomnessContract, () => seededRandomness(7));
keeps("memorySigner", signerContract, () => ({
  signer: memorySigner(seededRandomness(1)),
  foreign: memorySigner(seededRandomness(2)),
}));
keeps("memoryJwts", jwtVerifierContract, () => {
  const verifier = memoryJwts();
  const senderOf = (publicKey: ForeignJwk): JwtSender => ({
    publicKey,
    sign: async (claims, header) => verifier.sign({ ...publicKey, kid: "k" }, claims, header),
  });
  return { verifier, kid: "k", sender: senderOf(verifier.newKey("k")), stranger: senderOf(verifier.newKey("other")) };
});
keeps("memoryOneTimeCodes", oneTimeCodesContract, memoryOneTimeCodes);
keeps("memoryPasswordHasher", passwordHasherContract, memoryPasswordHasher);
keeps("memorySecretBox", secretBoxContract, () => ({ box: memorySecretBox(), foreign: memorySecretBox("other") }));
keeps("memoryRateLimitStore", rateLimitStoreContract, memoryRateLimitStore);
keeps("memoryDeprecatedUses", deprecatedUseStoreContract, memoryDeprecatedUses);
keeps("memoryAlerts", alertsContract, memoryAlerts);
keeps("memoryMailer", mailerContract, () => {
  const mailer = memoryMailer({ refuses: ["nobody@example.com"] });
  const received = () => mailer.sent.map(({ id, ...rest }) => ({ ...rest, messageId: id }));
  return { mailer, received, refused: "nobody@example.com" };
});
test("memoryMailer without a target refuses every mail", async () => {
  const mailer = memoryMailer({ target: "none" });
  expect(await mailer.send({ to: "ada@example.com", subject: "s", text: "t", id: "1" })).toBe("refused");
  expect(mailer.sent).toEqual([]);
});
keeps("memoryTelemetry", telemetryContract, memoryTelemetry);
keeps("inProcessWakeup", wakeupContract, inProcessWakeup);

keeps("memoryFetcher", fetcherContract, () => {
  const clock = virtualClock();
  const origin = "http://target.example";
  const targets = Object.entries(fetcherTarget).map(([path, answer]) => [
    origin + path,
    (request: Parameters<typeof answer>[0]) => {
      const given = answer(request);
      return given === "never" ? new Promise<never>(() => undefined) : given;
    },
  ]);
  const fetcher = memoryFetcher(Object.fromEntries(targets), { clock });
  return { fetcher, origin, unreachable: "http://nobody.example/", pass: clock.advance };
});

for (const canTell of [true, false]) {
  keeps(`memoryLiveness ${canTell ? "with" : "without"} locks`, livenessContract, (): LivenessSubject => {
    const registry = livenessRegistry();
    const there = memoryLiveness({ registry, canTell });
    return { here: memoryLiveness({ registry, canTell }), there, endThere: async () => there.die(), canTell };
  });
}

describe("virtualClock", () => {
  test("runs timers in order of time, those set on the way included, each at its own moment", async () => {
    const clock = virtualClock(1_000);
    const ran: string[] = [];
    clock.after(20, () => ran.push(`second at ${clock.now()}`));
    clock.after(10, () => {
      ran.push(`first at ${clock.now()}`);
      clock.after(5, () => ran.push(`inserted at ${clock.now()}`));
    });
    clock.after(20, () => ran.push(`third at ${clock.now()}`));
    await clock.advance(30);
    expect(ran).toEqual(["first at 1010", "inserted at 1015", "second at 1020", "third at 1020"]);
    expect(clock.now()).toBe(1_030);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("lets promises settle between two timers", async () => {
    const clock = virtualClock();
    const ran: string[] = [];
    clock.after(1, () => void Promise.resolve().then(async () => ran.push("continuation")));
    clock.after(2, () => ran.push("next timer"));
    await clock.advance(2);
    expect(ran).toEqual(["continuation", "next timer"]);
  });

  test("jumps in wall time only", async () => {
    const clock = virtualClock(1_000_000);
    let called = false;
    clock.after(10, () => {
      called = true;
    });
    clock.jump(-500_000);
    expect(clock.now()).toBe(500_000);
    expect(clock.monotonic()).toBe(0);
    await clock.advance(10);
    expect(called).toBe(true);
  });
});

describe("memoryLiveness", () => {
  test("lets nobody take a lock that is held", async () => {
    const registry = livenessRegistry();
    await memoryLiveness({ registry }).hold(1);
    await expect(memoryLiveness({ registry }).hold(1)).rejects.toThrow("held already");
  });
});

describe("memoryRateLimitStore", () => {
  test("forgets the key unused for longest beyond its bound", async () => {
    const store = memoryRateLimitStore({ maxKeys: 2 });
    const take = (key: string) => store.take({ key, limit: 1, windowMs: 1_000, now: 0 });
    for (const key of ["a", "b", "c"]) await take(key);
    expect((await take("c")).allowed).toBe(false);
    expect((await take("a")).allowed).toBe(true);
  });
});

describe("memoryTelemetry", () => {
  test("adds up counters by name and labels, in any order of labels", () => {
    const telemetry = memoryTelemetry();
    telemetry.count("jobs_total", { a: "1", b: "2" });
    telemetry.count("jobs_total", { b: "2", a: "1" }, 4);
    expect(telemetry.counted("jobs_total", { a: "1", b: "2" })).toBe(5);
    expect(telemetry.counted("jobs_total")).toBe(0);
  });
});

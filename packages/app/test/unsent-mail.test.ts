import { memoryMailer } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";
import { accountPage, mailScene, password } from "./mail-scene.ts";

describe("a mail that cannot be sent", () => {
  test("is tried again with another link, and the first one is void", async () => {
    const tries: string[] = [];
    const mailer = memoryMailer();
    const failing = {
      ...mailer,
      send: async (mail: Parameters<typeof mailer.send>[0]) => {
        tries.push(mail.text);
        if (tries.length < 3) throw new Error("the mail server is away");
        return mailer.send(mail);
      },
    };
    const { work, ports, setPassword, tokenFor, askForReset, user } = await mailScene({}, { mailer: failing });
    await user("ada");
    for (const wait of [0, 5_000, 30_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    tries.length = 0;
    await askForReset("ada@example.com");
    for (const wait of [0, 5_000, 30_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    const [first = "", ...others] = tries.map((text) => /#reset=(act_\w+)/.exec(text)?.[1] ?? "");
    expect(new Set([first, ...others]).size).toBe(3);
    expect((await setPassword(first)).body.code).toBe("not_found");
    expect((await setPassword(tokenFor("ada@example.com", "reset"))).status).toBe(204);
  });

  test("is given up after six tries within an hour", async () => {
    const tries: string[] = [];
    const mailer = memoryMailer();
    const failing: typeof mailer = {
      ...mailer,
      send: async ({ text }) => {
        tries.push(text);
        throw new Error("the mail server is away");
      },
    };
    const { work, ports, askForReset, user } = await mailScene({}, { mailer: failing });
    await user("ada");
    const waits = [0, 5_000, 30_000, 300_000, 900_000, 1_800_000, 1_800_000];
    for (const wait of waits) {
      await ports.clock.advance(wait);
      await work();
    }
    tries.length = 0;
    await askForReset("ada@example.com");
    for (const wait of waits) {
      await ports.clock.advance(wait);
      await work();
    }
    expect(tries).toHaveLength(6);
  });

  test.each([
    ["half of the slots", 6, {}, 3],
    ["four slots", 100, {}, 4],
    ["the only slot", 1, {}, 1],
    ["as many slots as are set", 6, { mail: { concurrency: 2 } }, 2],
  ])(
    "leaves slots to other jobs if the mail server is slow: mails take %s",
    async (_what, concurrency, queues, most) => {
      let sending = 0;
      const mailer = memoryMailer();
      const slow: typeof mailer = {
        ...mailer,
        send: () => {
          sending += 1;
          return new Promise(() => undefined);
        },
      };
      const api = testApi({ settings: { rateLimits: "off", accountPage, confirmAddresses: true } }, { mailer: slow });
      const worker = api.app.worker({ name: "only", concurrency, queues });
      await worker.start();
      for (let stranger = 0; stranger < 12; stranger += 1) {
        const body = { name: "Ada", email: `stranger-${stranger}@example.com`, password };
        expect((await api.call("POST", "/users", { body })).status).toBe(202);
      }
      // It waits for no run that is under way.
      void worker.runDue();
      for (let looked = 0; looked < 5; looked += 1) await api.ports.clock.advance(0);
      await expect.poll(() => sending).toBe(most);
      for (let looked = 0; looked < 5; looked += 1) await api.ports.clock.advance(1_000);
      expect(sending).toBe(most);
    },
  );

  test("is not sent at all without a mail server; requests are answered as ever", async () => {
    const { askForReset, ports, user } = await mailScene({}, { mailer: memoryMailer({ target: "none" }) });
    await user("ada");
    expect((await askForReset("ada@example.com")).status).toBe(202);
    expect(await ports.storage.jobRecords.list({ limit: 10 })).toEqual([]);
  });
});

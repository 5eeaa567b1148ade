import { createApp } from "@postern/app";
import type { NewMail } from "@postern/core";
import { memoryMailer, memoryPorts } from "@postern/core/memory";
import { defineJob, type HandlerContext, newJob, Permanent } from "@postern/jobs";
import { defineOperation } from "@postern/rest";
import { describe, expect, test } from "vitest";

const letter = { to: "Ada@Example.com", subject: "Your bill", text: "Here it is.\n", html: "<p>Here it is.</p>" };

const scene = async (run: (context: HandlerContext) => Promise<unknown>, mailer = memoryMailer()) => {
  const ports = memoryPorts({ mailer });
  const job = defineJob("one", async (_payload: undefined, context) => run(context));
  const app = createApp({ ports, jobs: [job] });
  const worker = app.worker({ name: "only", concurrency: 2 });
  await worker.start();
  const work = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
    }
  };
  return { app, ports, job, work, sent: mailer.sent };
};

describe("a mail of an application", () => {
  test("goes with the transaction that sends it, to each address apart", async () => {
    const { app, work, sent } = await scene(async () => undefined);
    await expect(
      app.transaction(async (tx) => {
        await tx.mail(letter);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await app.transaction((tx) =>
      tx.mail({ ...letter, to: ["ada@example.com", "ADA@example.com", "bob@example.com"] }),
    );
    await work();
    expect(sent.map(({ id: _id, ...mail }) => mail)).toEqual(
      ["ada@example.com", "bob@example.com"].map((to) => ({ ...letter, to })),
    );
  });

  test("is stored encrypted", async () => {
    const { app, ports } = await scene(async () => undefined);
    await app.transaction((tx) => tx.mail(letter));
    const jobs = await ports.storage.jobRecords.list({ limit: 5 });
    expect([jobs.length, JSON.stringify(jobs)]).toEqual([1, expect.not.stringMatching(/ada@|Here it is/i)]);
  });

  test("of a handler goes with its commit, or with its return, and not with its failure", async () => {
    const ends: unknown[] = [];
    const { app, job, work, sent } = await scene(async ({ attempt, mail, commit }) => {
      await mail({ ...letter, subject: `Run ${attempt}` });
      if (attempt === 1) {
        await commit(async () => {
          throw new Error("not yet");
        }).catch(() => undefined);
        throw new Permanent("never");
      }
    });
    await app.enqueue(newJob(job, undefined));
    await work();
    expect(sent).toEqual([]);

    const again = await scene(async ({ mail }) => mail(letter));
    await again.app.enqueue(newJob(again.job, undefined));
    await again.work();
    expect(again.sent).toMatchObject([{ subject: "Your bill" }]);

    const committing = await scene(async ({ mail, commit }) => {
      await mail(letter);
      await commit(async (rows) => rows.users?.create({ name: "Ada", email: "ada@example.com", password: "hash" }));
      ends.push(await mail(letter).catch(String));
    });
    await committing.app.enqueue(newJob(committing.job, undefined));
    await committing.work();
    expect([committing.sent.length, ends]).toEqual([1, [expect.stringContaining("mail came after the commit")]]);
  });

  test("that the server refuses for good ends as a dead job", async () => {
    const { app, ports, work } = await scene(async () => undefined, memoryMailer({ refuses: ["ada@example.com"] }));
    await app.transaction((tx) => tx.mail(letter));
    await work();
    expect(await ports.storage.jobRecords.list({ state: "dead", limit: 5 })).toMatchObject([{ kind: "postern.mail" }]);
  });

  test.each<[string, Partial<NewMail>, string]>([
    ["no address", { to: "ada" }, '"to" has a text that is no email address'],
    ["an address with a header", { to: "a@example.com\r\nBcc: b@example.com" }, "no email address"],
    ["nobody", { to: [] }, '"to" is one address, or up to 50'],
    ["too many", { to: Array.from({ length: 51 }, (_, at) => `a${at}@example.com`) }, "up to 50"],
    ["a subject with a header", { subject: "Hello\nBcc: b@example.com" }, '"subject" is one line'],
    ["a separator of lines", { subject: "Hello\u2028there" }, '"subject" is one line'],
    ["a long subject", { subject: "x".repeat(201) }, '"subject" is one line'],
    ["html alone", { text: "" }, '"text" is missing'],
    ["too much", { text: "ä".repeat(131_073) }, "at most 256 KiB"],
  ])("is refused with a sentence: %s", async (_what, change, sentence) => {
    const { app, ports } = await scene(async () => undefined);
    await expect(app.transaction((tx) => tx.mail({ ...letter, ...change }))).rejects.toThrow(sentence);
    expect(await ports.storage.jobRecords.list({ limit: 5 })).toEqual([]);
  });

  test("is refused on a server that sends none", async () => {
    const { app } = await scene(async () => undefined, memoryMailer({ target: "none" }));
    await expect(app.transaction((tx) => tx.mail(letter))).rejects.toThrow("this server sends no mails");
  });

  test("of an operation goes with its write", async () => {
    const mailer = memoryMailer();
    const ports = memoryPorts({ mailer });
    const invite = defineOperation({
      id: "invite",
      method: "POST",
      path: "/invite",
      summary: "Invite somebody",
      access: "public",
      handle: ({ write }) => write((tx) => tx.mail(letter)),
    });
    const app = createApp({ ports, operations: [invite] });
    const worker = app.worker({ name: "only", concurrency: 1 });
    await worker.start();
    expect(await app.run({ operation: "invite", principal: { kind: "operator", name: "ann" } })).toMatchObject({
      status: 204,
    });
    await worker.runDue();
    await ports.clock.advance(0);
    expect(mailer.sent).toMatchObject([{ to: "ada@example.com", html: letter.html }]);
  });
});

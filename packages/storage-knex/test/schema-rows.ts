import { builtInResources, comment, post, user } from "@postern/app";
import { idNumber, newEvent, postRow, userRow } from "@postern/core/testing";
import { createKnexStorage } from "../src/index.ts";

export const now = 1_800_000_000_000;

/**
 * Makes a database of the present schema, and stores a few rows of every kind in it: what
 * `older-schemas.test.ts` reads back. Each fixture in `test/schemas` was filled like this by the
 * version that had its schema.
 */
export const fillSchema = async (url: string): Promise<void> => {
  const { storage, migrate, close } = createKnexStorage({ url, resources: builtInResources });
  await migrate.latest();
  const { resources, events, jobs } = storage;
  await resources.insert(user, userRow(1, { name: "Zoë 👩‍🚀", preferences: { theme: "dark" } }));
  await resources.insert(user, userRow(2, { role: "admin" }));
  await resources.insert(post, postRow(3, idNumber(1), { title: "ü\n\ttab '\"\\ " }));
  const at = "2026-01-02T03:04:05.678Z";
  const about = { post_id: idNumber(3), user_id: idNumber(2), created_at: at, updated_at: at };
  await resources.insert(comment, { id: idNumber(4), body: "Comment 4", ...about });

  await events.accept([
    newEvent("evt_done", { body: Buffer.from([0, 1, 255, 39, 92, 10]) }),
    newEvent("evt_dead"),
    newEvent("evt_ignored", { disposition: "ignored", reason: "no_handler", jobs: [] }),
    newEvent("evt_quarantined", { disposition: "quarantined", reason: "other", jobs: [] }),
  ]);
  const runnerId = await storage.runners.register({ name: "first", kinds: ["log"] }, now);
  const claim = () => jobs.claim({ runnerId, queue: "default", limit: 9, now, kinds: ["log"] });
  const [first, second] = await claim();
  if (first === undefined || second === undefined) throw new Error("two jobs are ready, and were not claimed");
  await jobs.finish(
    [
      { job: first, end: { to: "done" } },
      { job: second, end: { to: "dead", error: "no more" } },
    ],
    now,
  );
  await events.accept([newEvent("evt_running")]);
  await claim();
  const later = [{ kind: "log", maxAttempts: 3, dueAt: now + 60_000 }];
  await events.accept([newEvent("evt_ready"), newEvent("evt_later", { jobs: later })]);
  const mail = { kind: "mail", maxAttempts: 2 };
  await jobs.enqueue([{ ...mail, queue: "mails", priority: 3, payload: { to: "ü" } }], now);
  const ordered = { ...mail, queue: "lanes", orderKey: "a" };
  await jobs.enqueue([ordered, ordered], now);

  await storage.audit.append({
    at: now,
    actor: { kind: "user", id: idNumber(1) },
    credential: "session:1",
    action: "createPost",
    resource: "post",
    resourceId: idNumber(3),
    result: "done",
    requestId: "request-1",
    address: "192.0.2.1",
    fields: ["title"],
  });
  await storage.transaction(async ({ answers }) => {
    await answers.claim("key-1", now);
    await answers.keep({ key: "key-1", sealed: "answer 1", expiresAt: now + 3_600_000 });
  });
  await close();
};

import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";

const operations = createApp({ ports: memoryPorts() }).versions.at(-1)?.operations ?? [];

/** What takes something away for good, or has an effect that cannot be taken back. Each asks. */
const asks = [
  "admin.clients.delete",
  "admin.clients.renew-secret",
  "admin.clients.replace-keys",
  "admin.events.discard",
  "admin.events.replay",
  "admin.events.replayMany",
  "admin.jobs.cancel",
  "admin.plans.cancel",
  "admin.plans.run",
  "admin.providers.delete",
  "admin.providers.deleteKey",
  "admin.providers.rotate",
  "admin.signing-keys.rotate",
  "api-keys.delete",
  "api-keys.rotate",
  "comments.delete",
  "grants.delete",
  "grants.narrow",
  "outside-identities.delete",
  "posts.delete",
  "second-factors.delete",
  "sessions.delete",
  "sessions.deleteAll",
  "users.change-password",
  "users.delete",
];

/** Why each of the others needs no question. */
const others: Readonly<Record<string, readonly string[]>> = {
  "It makes something, which can be ended or deleted.": [
    "admin.clients.create",
    "admin.events.note",
    "admin.invitations.create",
    "admin.outside-identities.create",
    "admin.plans.create",
    "admin.providers.create",
    "api-keys.create",
    "comments.create",
    "exports.create",
    "posts.create",
    "posts.create-own",
    "second-factors.create",
    "sessions.create",
    "users.create",
  ],
  "It can be put back as it was.": [
    "admin.clients.replace-grant-types",
    "admin.plans.pause",
    "admin.plans.resume",
    "admin.queues.pause",
    "admin.queues.resume",
    "admin.schedules.pause",
    "admin.schedules.resume",
    "comments.replace",
    "comments.update",
    "posts.replace",
    "posts.update",
    "users.replace",
    "users.update",
  ],
  "It does what was to be done anyway: nothing of it has succeeded, or its time comes by itself.": [
    "admin.jobs.retry",
    "admin.schedules.run",
  ],
  "A program calls it, or it is a step of what its person has begun.": [
    "email-changes.finish",
    "email-verifications.create",
    "email-verifications.finish",
    "invitations.accept",
    "password-resets.create",
    "password-resets.finish",
    "second-factors.confirm",
    "sessions.finish",
    "sessions.refresh",
    "sign-ups.finish",
    "webhooks.receive",
    "webhooks.receiveByPut",
  ],
};

test("every operation that changes something either asks, or has a reason not to", () => {
  const changing = operations.filter(({ method }) => method !== "GET").map(({ id }) => id);
  expect([...asks, ...Object.values(others).flat()].toSorted()).toEqual(changing.toSorted());
});

test("exactly those ask that cannot be undone", () => {
  const asking = operations.filter(({ confirm }) => confirm !== undefined).map(({ id }) => id);
  expect(asking.toSorted()).toEqual(asks.toSorted());
});

test("a question is a question, says what follows, and names only what stands in the path", () => {
  for (const { id, path, confirm } of operations) {
    if (confirm === undefined) continue;
    expect(confirm, id).toMatch(/^[A-Z][^?]+\? [A-Z].+\.$/);
    for (const [name] of confirm.matchAll(/\{\w+\}/g)) expect(path, id).toContain(name);
  }
});

test("a resource of your own asks before a row is deleted, too", () => {
  const own = operations.filter(({ method, id }) => method === "DELETE" && !asks.includes(id));
  expect(own).toEqual([]);
});

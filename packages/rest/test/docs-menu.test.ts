import { expect, test } from "vitest";
import { operationsIn } from "../src/openapi/document-parts.ts";
import { menuOf } from "../src/pages/docs-menu.ts";

const operation = (operationId: string, summary: string, tag: string) => ({ operationId, summary, tags: [tag] });

test("the menu shows the beginning of each summary, below its tag", () => {
  const operations = operationsIn({
    paths: {
      "/queues/{name}/pause": { post: operation("pause", "Pause a queue; jobs that run go on", "queues") },
      "/users": {
        get: operation("list", "List users (administrators see all)", "users"),
        post: operation("create", "Sign up: make <a user>", "users"),
      },
      "/users/me": { get: operation("me", "Read `yourself`", "users") },
    },
  });
  const menu = menuOf([{ name: "users" }, { name: "queues" }], operations);
  const shown = [...menu.matchAll(/<h2>(.*?)<\/h2>|href="#(\w+)">.*?<span>(.*?)<\/span><\/a>/g)].map(
    ([, tag, id, text]) => tag ?? `${id}: ${text}`,
  );
  expect(shown).toEqual([
    "users",
    "list: List users",
    "create: Sign up",
    "me: Read <code>yourself</code>",
    "queues",
    "pause: Pause a queue",
  ]);
});

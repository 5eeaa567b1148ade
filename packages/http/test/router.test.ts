import { expect, test } from "vitest";
import { createRouter } from "../src/routes.ts";

test("finds a path again after another one, and after one that leads nowhere", () => {
  const find = createRouter([{ path: "/webhooks/{provider}" }, { path: "/health" }]);
  const shown = (path: string) => {
    const found = find(path);
    return found === undefined ? undefined : [found.endpoint.path, found.params];
  };
  const paths = ["/webhooks/a", "/webhooks/a", "/webhooks/b", "/nothing", "/nothing", "/health", "/webhooks/a", ""];
  expect(paths.map(shown)).toEqual([
    ["/webhooks/{provider}", { provider: "a" }],
    ["/webhooks/{provider}", { provider: "a" }],
    ["/webhooks/{provider}", { provider: "b" }],
    undefined,
    undefined,
    ["/health", {}],
    ["/webhooks/{provider}", { provider: "a" }],
    undefined,
  ]);
});

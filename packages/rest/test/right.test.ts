import { AppError } from "@postern/core";
import { describe, expect, test } from "vitest";
import { scopesOf, withScope } from "../src/access/operation-scope.ts";
import { type Principal, requireRight } from "../src/access/principal.ts";
import { builtInRoles, rolesWith } from "../src/access/roles.ts";
import { type Operation, tableEntry } from "../src/operations/operation.ts";

const operation = (given: Partial<Operation>): Operation =>
  withScope(
    tableEntry({
      id: "posts.read",
      method: "GET",
      path: "/posts/{id}",
      access: "user",
      summary: "Read a post",
      tag: "posts",
      success: { status: 200, description: "The post." },
      handle: async () => ({ status: 200 }),
      ...given,
    }),
  );

describe("the scope of an operation", () => {
  test.each([
    [{}, "posts:read"],
    [{ method: "POST", path: "/users/{id}/posts" }, "posts:write"],
    [{ method: "PATCH" }, "posts:write"],
    [{ method: "DELETE" }, "posts:write"],
    [{ access: "admin", path: "/admin/events/{id}", tag: "admin" }, "events:read"],
    [{ access: "admin", path: "/admin/queues/{name}/pause", tag: "admin", method: "POST" }, "queues:write"],
    [{ access: "admin", path: "/admin/events/replay", method: "POST", scope: "events:replay" }, "events:replay"],
    [{ tag: "Line items" }, "line-items:read"],
    [{ access: "public" }, undefined],
    [{ access: "public", scope: "users:write" }, "users:write"],
  ] as const)("%j needs %s", (given, scope) => {
    expect(operation(given).scope).toBe(scope);
  });

  test.each(["posts", "posts:", "Posts:read", 'posts:re"ad', "posts:read write", "a:b:c"])("cannot be %s", (scope) => {
    expect(() => operation({ scope })).toThrow(TypeError);
  });

  test("stands once among all scopes", () => {
    const operations = [operation({}), operation({ id: "posts.list" }), operation({ tag: "comments" })];
    expect(scopesOf(operations)).toEqual(["comments:read", "posts:read"]);
  });
});

const user = (role: string, scopes?: readonly string[]): Principal => ({
  kind: "user",
  userId: "u",
  role,
  credential: scopes === undefined ? { kind: "session", id: "s" } : { kind: "api-key", id: "k", scopes },
});

const decided = (given: Partial<Operation>, principal: Principal | undefined): string => {
  try {
    requireRight(builtInRoles, operation(given), principal);
    return "yes";
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return thrown.code;
  }
};

const events = { access: "admin", path: "/admin/events", tag: "admin" } as const;
const replay = { ...events, method: "POST", scope: "events:replay" } as const;
const providers = { access: "admin", path: "/admin/providers", tag: "admin", method: "POST" } as const;
const password = { method: "PUT", tag: "users", signIn: true } as const;
const signUp = { access: "public", method: "POST", tag: "users", scope: "users:write" } as const;

describe("what a request may do", () => {
  test.each([
    ["nobody, public", { access: "public" }, undefined, "yes"],
    ["nobody, sign-up", signUp, undefined, "yes"],
    ["nobody, for users", {}, undefined, "unauthenticated"],
    ["a user", {}, user("user"), "yes"],
    ["a user, below /admin", events, user("user"), "forbidden"],
    ["a role that is not configured any more, below /admin", events, user("constructor"), "forbidden"],
    ["a viewer reads", events, user("viewer"), "yes"],
    ["a viewer replays", replay, user("viewer"), "forbidden"],
    ["an operator replays", replay, user("operator"), "yes"],
    ["an operator adds a sender", providers, user("operator"), "forbidden"],
    ["an administrator adds a sender", providers, user("admin"), "yes"],
    ["the command line", providers, { kind: "operator", name: "root" }, "yes"],
    ["a key with the scope", {}, user("user", ["posts:read"]), "yes"],
    ["a key with another scope", {}, user("user", ["posts:write"]), "insufficient_scope"],
    ["a key without any", {}, user("admin", []), "insufficient_scope"],
    ["a key whose role lacks the right", events, user("user", ["events:read"]), "forbidden"],
    ["an administrator's key without the scope", events, user("admin", ["posts:read"]), "insufficient_scope"],
    ["an administrator's key with the scope", events, user("admin", ["events:read"]), "yes"],
    ["a key for a sign-up, which it does not have the scope for", signUp, user("admin", []), "insufficient_scope"],
    ["a key where a sign-in is needed", password, user("user", ["users:write"]), "forbidden"],
    ["a sign-in where one is needed", password, user("user"), "yes"],
  ] as const)("%s: %#", (_who, given, principal, expected) => {
    expect(decided(given, principal)).toBe(expected);
  });

  test("is told with the scope that is missing", () => {
    const attempt = () => requireRight(builtInRoles, operation({}), user("user", []));
    expect(attempt).toThrow(
      expect.objectContaining({
        headers: { "www-authenticate": 'Bearer realm="postern", error="insufficient_scope", scope="posts:read"' },
        extra: { scope: "posts:read" },
      }),
    );
  });
});

describe("roles of an application", () => {
  const scopes = ["events:read", "events:replay", "posts:read"];
  const description = "Helps people.";

  test("stand beside the built-in ones", () => {
    const roles = rolesWith({ support: { scopes: ["events:*"], description } }, scopes);
    expect(Object.keys(roles)).toEqual(["user", "viewer", "operator", "admin", "support"]);
    expect(() => requireRight(roles, operation(replay), user("support"))).not.toThrow();
    expect(() => requireRight(roles, operation(providers), user("support"))).toThrow(AppError);
  });

  test.each([
    ["admin", ["events:read"], "built-in"],
    ["Support", ["events:read"], "lower-case"],
    ["support", ["event:read"], 'no operation needs the scope "event:read"'],
    ["support", undefined, 'role "support": "scopes" is missing'],
  ])("cannot be %s with %j", (name, given, why) => {
    // Plain JavaScript can leave them out.
    const role = { scopes: given as readonly string[], description };
    expect(() => rolesWith({ [name]: role }, scopes)).toThrow(why);
  });
});

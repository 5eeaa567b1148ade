import type { JwtClaims } from "@postern/core/ports";
import { expect, test } from "vitest";
import type { OutsideIssuer } from "../src/outside/outside-issuer.ts";
import { scene } from "./outside-issuer-scene.ts";

type May = "all" | "read" | "write" | "nothing";

/** What each of two requests is answered: a read and a write of posts. */
const answers: Readonly<Record<May, readonly [number, number]>> = {
  all: [200, 201],
  read: [200, 403],
  write: [403, 201],
  nothing: [403, 403],
};

/** A server takes a while to make; one for each settings is enough. */
const scenes = new Map<string, ReturnType<typeof scene>>();
const sceneWith = (settings: Partial<OutsideIssuer>) => {
  const name = JSON.stringify(settings);
  const made = scenes.get(name) ?? scene(settings);
  scenes.set(name, made);
  return made;
};

const tried = async (settings: Partial<OutsideIssuer>, said: JwtClaims) => {
  const { token, call } = sceneWith(settings);
  const given = token(said);
  const read = await call("GET", "/users/me/posts", { token: given });
  const write = await call("POST", "/users/me/posts", { token: given, body: { title: "T", body: "B" } });
  return { read, write };
};

const prefix: Partial<OutsideIssuer> = { scopePrefix: "api://postern/" };
const full: Partial<OutsideIssuer> = { fullAccess: ["user_impersonation", "openid"] };
const required: Partial<OutsideIssuer> = { scopes: "required" };

test.each<readonly [Partial<OutsideIssuer>, JwtClaims, May]>([
  // Without a claim about scopes.
  [{}, {}, "all"],
  [required, {}, "nothing"],
  [{ ...required, ...full }, {}, "nothing"],
  [required, { scope: "posts:read" }, "read"],
  // Each claim, as text and as a list.
  ...["scope", "scp", "permissions"].flatMap((claim): [Partial<OutsideIssuer>, JwtClaims, May][] => [
    [{}, { [claim]: "posts:read" }, "read"],
    [{}, { [claim]: ["posts:read"] }, "read"],
    [{}, { [claim]: "posts:read posts:write" }, "all"],
    [{}, { [claim]: ["posts:write", "other"] }, "write"],
    [{}, { [claim]: "openid  posts:read email" }, "read"],
    // A restriction that is not understood.
    ...[
      "",
      " ",
      "openid",
      "posts:raed",
      "Posts:Read",
      "posts:read,posts:write",
      "posts:*",
      "posts",
      "api://postern/posts:read",
      "posts:read\n",
    ].map((value): [Partial<OutsideIssuer>, JwtClaims, May] => [{}, { [claim]: value }, "nothing"]),
    ...[
      [],
      [""],
      null,
      0,
      true,
      false,
      {},
      { "posts:read": true },
      { scope: "posts:read" },
      [["posts:read"]],
      [{ scope: "posts:read" }],
      ["posts:read posts:write"],
      [1, null],
      "constructor",
      "__proto__",
      "toString",
    ].map((value): [Partial<OutsideIssuer>, JwtClaims, May] => [{}, { [claim]: value }, "nothing"]),
    // A list whose known scopes are clear, among other things.
    [{}, { [claim]: [7, "posts:read", null] }, "read"],
    // More words than anybody has.
    [{}, { [claim]: [...Array.from({ length: 1_200 }, () => "x"), "posts:read"] }, "read"],
  ]),
  // Several claims: the first that names a known scope decides.
  [{}, { scope: "openid", permissions: ["posts:read"] }, "read"],
  [{}, { scope: "posts:read", permissions: ["posts:write"] }, "read"],
  [{}, { scp: ["posts:write"], permissions: ["posts:read"] }, "write"],
  [{}, { scope: {}, scp: "posts:read" }, "read"],
  [{}, { scope: "openid", permissions: [] }, "nothing"],
  // Values that stand for all rights.
  [full, { scope: "openid" }, "all"],
  [full, { scope: ["openid", "profile"] }, "all"],
  [full, { scp: "user_impersonation" }, "all"],
  [full, { scope: "email", scp: "user_impersonation" }, "all"],
  [full, { scope: "openid posts:read" }, "read"],
  [full, { scope: "openid", permissions: ["posts:read"] }, "read"],
  [full, { permissions: ["posts:read"], scope: "openid posts:raed" }, "read"],
  ...[[], "", "  ", null, {}, 5, [7], [["openid"]]].map((value): [Partial<OutsideIssuer>, JwtClaims, May] => [
    full,
    { scope: "openid", permissions: value },
    "nothing",
  ]),
  [full, { scope: "OpenID" }, "nothing"],
  [full, { scope: "openid.other" }, "nothing"],
  [full, { scope: "posts:raed" }, "nothing"],
  // A prefix.
  [prefix, { scope: "api://postern/posts:read" }, "read"],
  [prefix, { scp: ["api://postern/posts:read", "api://other/posts:write"] }, "read"],
  [prefix, { scope: "posts:read" }, "read"],
  [prefix, { scope: "api://other/posts:read" }, "nothing"],
  [prefix, { scope: "API://postern/posts:read" }, "nothing"],
  [prefix, { scope: "api://postern/api://postern/posts:read" }, "nothing"],
  [{ ...prefix, ...full }, { scope: "openid api://postern/posts:read" }, "read"],
  // Other claims.
  [{ scopeClaims: ["roles"] }, { roles: ["posts:read"], scope: "posts:write" }, "read"],
  [{ scopeClaims: ["roles"] }, { scope: "posts:write" }, "all"],
  [
    { scopeClaims: ["/resource_access/postern/roles"] },
    { resource_access: { postern: { roles: ["posts:read"] } } },
    "read",
  ],
  [{ scopeClaims: ["https://example.com/scopes"] }, { "https://example.com/scopes": "posts:read" }, "read"],
])("with %o the token %o may do: %s", async (settings, said, may) => {
  const { read, write } = await tried(settings, said);
  expect([read.status, write.status]).toEqual(answers[may]);
  for (const { status, body } of [read, write]) if (status === 403) expect(body.code).toBe("insufficient_scope");
});

test("a token that may do nothing is told what it says, and which setting counts", async () => {
  const detailOf = async (settings: Partial<OutsideIssuer>, said: JwtClaims) => {
    const { read } = await tried(settings, said);
    expect(read.headers["www-authenticate"]).toContain('error="insufficient_scope"');
    return String(read.body.detail);
  };
  const unknown = await detailOf({}, { scope: "openid", scp: ["x".repeat(5_000)] });
  expect(unknown).toContain('its scope is "openid", its scp is ["xxx');
  expect(unknown).toContain("outsideIssuer.fullAccess");
  expect(unknown).toContain("outsideIssuer.scopePrefix");
  expect(unknown).toContain("outsideIssuer.scopeClaims");
  expect(unknown.length).toBeLessThan(1_000);
  const empty = await detailOf(full, { scope: "openid", permissions: [] });
  expect(empty).toContain("its permissions is [], so no value of outsideIssuer.fullAccess counts");
  expect(await detailOf(required, {})).toContain("outsideIssuer.scopes=required");
});

test("a token that may do nothing makes no account and no link", async () => {
  const { me, token, ports } = scene();
  expect((await me(token({ scope: "openid" }))).status).toBe(403);
  expect(await ports.storage.audit.list({ limit: 1, action: "outside.create-account" })).toEqual([]);
});

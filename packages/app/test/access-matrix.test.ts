import { builtInVersions, createApp, grant } from "@postern/app";
import { memoryFetcher, memoryJwts, memoryPorts, virtualClock } from "@postern/core/memory";
import { builtInRoles, includesScope, newestOf, type Operation } from "@postern/rest";
import { beforeAll, expect, test } from "vitest";
import { outsideIdentity } from "../src/resources/outside-identity.ts";
import { userExport } from "../src/resources/user-export.ts";
import { testApi } from "./api.ts";

/** The operations of the newest version that need a credential, in the order of their paths. */
const { versions, scopes } = createApp({ versions: builtInVersions, ports: memoryPorts() });
const operations = newestOf(versions)
  .operations.filter(({ access, body, scope }) => body !== "raw" && (access !== "public" || scope !== undefined))
  .toSorted((left, right) => (`${left.path} ${left.method}` < `${right.path} ${right.method}` ? -1 : 1));

const callers = [
  "nobody",
  "another user",
  "the owner",
  "viewer",
  "operator",
  "admin",
  "key with the scope",
  "key with all other scopes",
  "ended key",
  "expired key",
  "client with the scope",
  "client with all other scopes",
  "removed client",
  "outside token",
  "outside token with the role admin",
] as const;
type Caller = (typeof callers)[number];

/** Codes with which the access check refuses; every other answer comes from behind it. */
const refusals = new Set(["unauthenticated", "forbidden", "insufficient_scope", "invalid_token", "token_expired"]);
const password = "correct horse battery";
const nowhere = "01900000-0000-7000-8000-000000000000";

/** What another user sends, so that it is whose the row is that decides. */
const validBodies: Readonly<Record<string, object>> = {
  "users.replace": { name: "N", email: "new@example.com" },
  "users.change-password": { current_password: password, new_password: "another horse battery" },
  "posts.create": { title: "T", body: "B" },
  "posts.create-own": { title: "T", body: "B" },
  "posts.replace": { title: "T", body: "B", status: "draft" },
  "comments.create": { body: "B" },
  "comments.replace": { body: "B" },
  "grants.narrow": { scopes: ["posts:read"] },
};

type Api = ReturnType<typeof testApi>;

/**
 * Keys of two administrators, because one has at most fifty. For each scope there is one key with
 * only this scope, and one with all others.
 */
const keysOf = async ({ call }: Api, first: string, second: string) => {
  const make = async (token: string, given: readonly string[]): Promise<string> => {
    const made = await call("POST", "/api-keys", { token, body: { name: "key", scopes: given } });
    if (made.status !== 201) throw new Error(made.body.detail);
    return made.body.key;
  };
  const withIt = new Map<string, string>();
  const without = new Map<string, string>();
  for (const scope of scopes) {
    withIt.set(scope, await make(first, [scope]));
    without.set(
      scope,
      await make(
        second,
        scopes.filter((other) => other !== scope),
      ),
    );
  }
  return { withIt, without };
};

/**
 * Tokens of clients of an administrator. For each scope there is one token with only this scope,
 * and one with all others.
 */
const clientTokensOf = async ({ call, ports }: Api, root: { readonly id: string; readonly token: string }) => {
  const make = async (): Promise<string> => {
    const body = { name: "client", user_id: root.id, scopes };
    const made = await call("POST", "/admin/clients", { token: root.token, body });
    if (made.status !== 201) throw new Error(made.body.detail);
    return String(made.body.id);
  };
  const keys = await ports.storage.signingKeys.list();
  const { kid, publicKey } = keys.find(({ state }) => state === "active") ?? keys[0] ?? {};
  if (kid === undefined || publicKey === undefined) throw new Error("nobody has signed in");
  const issuedAt = Math.floor(ports.clock.now() / 1000);
  const tokenOf = (id: string, given: readonly string[]): Promise<string> =>
    ports.signer.issueAccessToken(
      {
        issuer: "postern",
        audience: "postern-api",
        subject: id,
        clientId: id,
        tokenId: "t",
        scope: given.join(" "),
        issuedAt,
        expiresAt: issuedAt + 600,
      },
      // The signer in memory knows its keys by their names.
      { kid, publicKey, privateKey: "" },
    );
  const id = await make();
  const removed = await make();
  await call("DELETE", `/admin/clients/${removed}`, { token: root.token });
  const each = async (choose: (scope: string) => readonly string[]) =>
    new Map(await Promise.all(scopes.map(async (scope) => [scope, await tokenOf(id, choose(scope))] as const)));
  return {
    withIt: await each((scope) => [scope]),
    without: await each((scope) => scopes.filter((other) => other !== scope)),
    removed: await tokenOf(removed, scopes),
  };
};

/** What somebody owns, by the first word of a path. */
const belongings = async ({ call, ports }: Api, owner: { readonly id: string; readonly token: string }) => {
  const { token, id } = owner;
  const draft = { title: "T", body: "B" };
  const post = await call("POST", "/users/me/posts", { token, body: draft });
  const shown = await call("POST", "/users/me/posts", { token, body: { ...draft, status: "published" } });
  const comment = await call("POST", `/posts/${shown.body.id}/comments`, { token, body: { body: "B" } });
  const session = await call("POST", "/sessions", { body: { email: "owner@example.com", password } });
  const sessions = await call("GET", "/sessions", { token: session.body.access_token });
  const key = await call("POST", "/api-keys", { token, body: { name: "own", scopes: ["posts:read"] } });
  const now = new Date(ports.clock.now()).toISOString();
  const granted = {
    id: ports.ids.uuid(),
    user_id: id,
    client_id: nowhere,
    client_name: "client",
    scopes: ["posts:read"],
    redirect_uri: "https://app.example.com/",
    challenge: "",
    code_digest: "",
    family_digest: null,
    refresh_digest: null,
    last_used_at: now,
    expires_at: now,
    created_at: now,
    updated_at: now,
  };
  await ports.storage.resources.insert(grant, granted);
  const exported = { id: ports.ids.uuid(), user_id: id, state: "failed", reason: "R", bytes: null };
  const until = new Date(ports.clock.now() + 3_600_000).toISOString();
  const times = { expires_at: until, created_at: now, updated_at: now };
  await ports.storage.resources.insert(userExport, { ...exported, ...times });
  const identity = { id: ports.ids.uuid(), user_id: id, issuer: "https://id.example.com", subject: "owner" };
  const linked = { identity: "f".repeat(64), state: "linked", created_at: now, updated_at: now };
  await ports.storage.resources.insert(outsideIdentity, { ...identity, ...linked });
  return new Map([
    ["outside-identities", identity.id],
    ["grants", granted.id],
    ["exports", exported.id],
    ["users", id],
    ["posts", String(post.body.id)],
    ["comments", String(comment.body.id)],
    ["sessions", String(sessions.body.data.at(-1).id)],
    ["api-keys", String(key.body.id)],
  ]);
};

/** An outside issuer whose tokens name a role, and the ports that a server needs to accept them. */
const outsideIssuer = () => {
  const issuer = "https://id.example.com";
  const jwtVerifier = memoryJwts();
  const clock = virtualClock();
  const key = jwtVerifier.newKey("k");
  const answer = (value: object) => ({ body: new TextEncoder().encode(JSON.stringify(value)) });
  const fetcher = memoryFetcher({
    [`${issuer}/.well-known/openid-configuration`]: () => answer({ issuer, jwks_uri: `${issuer}/keys` }),
    [`${issuer}/keys`]: () => answer({ keys: [key] }),
  });
  return {
    ports: { jwtVerifier, fetcher, clock },
    settings: { issuer, audience: "api", roleClaim: "role" },
    tokenOf: (role: string): string => {
      const email = { email: `outside-${role}@example.com`, email_verified: true };
      return jwtVerifier.sign(key, {
        iss: issuer,
        aud: "api",
        sub: role,
        exp: clock.now() / 1000 + 600,
        role,
        ...email,
      });
    },
  };
};

const matrix = new Map<string, Record<Caller, string>>();

beforeAll(async () => {
  const outside = outsideIssuer();
  const api = testApi({ settings: { rateLimits: "off", outsideIssuer: outside.settings } }, outside.ports);
  const { call } = api;
  const root = await api.admin();
  const second = await api.admin("second");
  const [owner, other] = [await api.user("owner"), await api.user("other")];
  const roleOf = async (role: string) => {
    const made = await api.user(role);
    await call("PATCH", `/users/${made.id}`, { token: root.token, body: { role } });
    return made.token;
  };
  const [viewer, operator] = [await roleOf("viewer"), await roleOf("operator")];
  const { withIt, without } = await keysOf(api, root.token, second.token);
  const clients = await clientTokensOf(api, root);
  const owned = await belongings(api, owner);
  const making = (more: object) =>
    call("POST", "/api-keys", { token: second.token, body: { name: "key", scopes, ...more } });
  const ended = (await making({})).body;
  await call("DELETE", `/api-keys/${ended.id}`, { token: second.token });
  const expired = (await making({ expires_at: new Date(api.ports.clock.now() + 1).toISOString() })).body;
  await api.ports.clock.advance(2);

  const tokens: Record<Caller, (scope: string) => string | undefined> = {
    nobody: () => undefined,
    "another user": () => other.token,
    "the owner": () => owner.token,
    viewer: () => viewer,
    operator: () => operator,
    admin: () => root.token,
    "key with the scope": (scope) => withIt.get(scope),
    "key with all other scopes": (scope) => without.get(scope),
    "ended key": () => ended.key,
    "expired key": () => expired.key,
    "client with the scope": (scope) => clients.withIt.get(scope),
    "client with all other scopes": (scope) => clients.without.get(scope),
    "removed client": () => clients.removed,
    "outside token": () => outside.tokenOf("user"),
    "outside token with the role admin": () => outside.tokenOf("admin"),
  };
  const outcomeOf = async ({ id: operation, method, path, scope = "" }: Operation, caller: Caller): Promise<string> => {
    const owning = caller === "the owner" || caller === "another user";
    const id = owning ? owned.get(path.split("/")[1] ?? "") : nowhere;
    // The callers are still needed.
    const query = operation === "sessions.deleteAll" ? "?keep=current" : "";
    const below = path
      .replaceAll("{exportId}", (owning ? owned.get("exports") : undefined) ?? nowhere)
      .replaceAll("{identityId}", (owning ? owned.get("outside-identities") : undefined) ?? nowhere);
    const target = below.replaceAll(/\{\w+\}/g, id ?? nowhere) + query;
    const token = tokens[caller](scope);
    const given = caller === "another user" ? (validBodies[operation] ?? {}) : {};
    const body = method === "GET" || method === "DELETE" ? {} : { body: given };
    const reply = await call(method, target, { ...(token !== undefined && { token }), ...body });
    const code = reply.status < 400 ? "" : String(reply.body.code);
    if (refusals.has(code)) return code;
    return owning && code === "not_found" && target.includes(id ?? nowhere) ? "not_found" : "yes";
  };
  // What the owner deletes is there for everybody before; the owner goes last of all.
  const deletesLast = operations.toSorted(
    (left, right) => Number(left.method === "DELETE") - Number(right.method === "DELETE"),
  );
  const atTheEnd = ["sessions.deleteAll", "users.delete"];
  const last = deletesLast.filter(({ id }) => atTheEnd.includes(id));
  for (const operation of [...deletesLast.filter((one) => !last.includes(one)), ...last]) {
    const row: Partial<Record<Caller, string>> = {};
    const others = callers.filter((caller) => caller !== "the owner");
    for (const caller of [...others, "the owner" as const]) row[caller] = await outcomeOf(operation, caller);
    matrix.set(operation.id, row as Record<Caller, string>);
  }
}, 120_000);

const roleGives = (role: keyof typeof builtInRoles, { access, scope = "" }: Operation): boolean =>
  access !== "admin" || includesScope(builtInRoles[role].scopes, scope);

test.each(operations.map((operation) => [operation.id, operation] as const))(
  "%s is open to those whom the table names",
  (id, operation) => {
    const { access, scope, signIn } = operation;
    const isPublic = access === "public";
    const byRole = (role: keyof typeof builtInRoles) => (roleGives(role, operation) ? "yes" : "forbidden");
    const row = matrix.get(id);
    expect(row).toMatchObject({
      nobody: isPublic ? "yes" : "unauthenticated",
      viewer: byRole("viewer"),
      operator: byRole("operator"),
      admin: "yes",
      "key with the scope": signIn === true ? "forbidden" : "yes",
      "key with all other scopes": signIn === true ? "forbidden" : "insufficient_scope",
      "ended key": "invalid_token",
      "expired key": "token_expired",
      "client with the scope": signIn === true ? "forbidden" : "yes",
      "client with all other scopes": signIn === true ? "forbidden" : "insufficient_scope",
      "removed client": "invalid_token",
      "outside token": signIn === true && access !== "admin" ? "forbidden" : byRole("user"),
      "outside token with the role admin": signIn === true ? "forbidden" : "yes",
    });
    expect(scope).toMatch(/^[a-z-]+:[a-z]+$/);
    expect(row?.["the owner"]).toBe(byRole("user"));
    expect(["yes", "not_found", "forbidden"]).toContain(row?.["another user"]);
    if (access === "admin") expect(row?.["another user"]).toBe("forbidden");
  },
);

test("no operation is without a scope but the public ones", () => {
  const all = newestOf(versions).operations.filter(({ scope }) => scope === undefined);
  expect(all.filter(({ access }) => access !== "public").map(({ id }) => id)).toEqual([]);
});

test("docs/access.md shows the matrix", async () => {
  const rows = operations.map(({ id, method, path, scope }) => {
    const row = matrix.get(id);
    return `| ${method} ${path} | \`${scope}\` | ${callers.map((caller) => row?.[caller]).join(" | ")} |`;
  });
  const roles = Object.entries(builtInRoles).map(
    ([name, { scopes: given, description }]) =>
      `| \`${name}\` | ${given.map((scope) => `\`${scope}\``).join(" ") || "–"} | ${description} |`,
  );
  const page = [
    "# Who may do what",
    "",
    "A request may do what the role, the scopes of the credential and the ownership of the row all allow",
    "([ADR 24](adr/0024-one-decision.md)). A test calls every operation as every kind of caller and",
    "writes this page: `pnpm test -u --project app`. Public operations, which need no credential, are",
    "left out.",
    "",
    "## Roles",
    "",
    "| role | scopes below `/admin` | what it is for |",
    "|---|---|---|",
    ...roles,
    "",
    "You can add roles in the configuration:",
    '`roles: { support: { scopes: ["events:*"], description: "Helps users." } }`. The access rule of a',
    'resource can name a role: `read: anyOf(ownedBy("user_id"), withRole("support"))`.',
    "",
    "## What ends with what",
    "",
    "Each row takes effect with the next request, on every node.",
    "",
    "| what happens | what ends | what stays |",
    "|---|---|---|",
    "| a new password, by its user, by an administrator or by a mailed link | sessions and grants of the user; API keys only with `revoke_api_keys: true`, or if the box on the page of the link is checked | API keys otherwise, so that programs continue to work; the mail about the new password says how many there are. Links to outside accounts, and clients that act for the account |",
    "| a second factor | all other sessions of the user | grants, API keys |",
    "| another role | nothing | every credential; each has the new role |",
    "| a client is removed | its tokens | – |",
    "| scopes are taken from a grant | the use of these scopes by its tokens | the grant with its other scopes |",
    "| the account is deleted | everything that belongs to it, and the clients that act for it | – |",
    "",
    "If somebody else may know your password, end your API keys when you change it. A key that they have",
    "made works until you end it or it expires.",
    "",
    "## Operations",
    "",
    "`yes`: the request reaches the operation. `not_found`: the row belongs to another user, so it does",
    "not exist for the caller. Any other word is the error code of the answer. The keys and clients",
    "belong to an administrator. The tokens of the outside issuer belong to other users. The server of",
    "this test has a role claim for that issuer.",
    "",
    `| operation | scope | ${callers.join(" | ")} |`,
    `|---|---|${callers.map(() => "---|").join("")}`,
    ...rows,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../../../docs/access.md");
});

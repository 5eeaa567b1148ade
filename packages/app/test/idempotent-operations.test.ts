import { newEvent } from "@postern/core/testing";
import { on } from "@postern/inbox";
import { defineJob, Permanent, schedule } from "@postern/jobs";
import { newestOf } from "@postern/rest";
import { expect, test } from "vitest";
import { grant } from "../src/resources/grant.ts";
import { outsideIdentity } from "../src/resources/outside-identity.ts";
import { base32Bytes, mailScene, next, password } from "./mail-scene.ts";

const nowhere = "01900000-0000-7000-8000-000000000000";
const day = 24 * 3_600_000;

type Scene = Awaited<ReturnType<typeof scene>>;

/** A request that has an effect. Where nobody is named, the administrator sends it. */
interface Sent {
  readonly target: string;
  readonly body?: object;
  readonly token?: string | undefined;
}

const report = schedule("report", "0 3 * * *", async () => undefined);

const scene = async (confirmAddresses: boolean) => {
  const fails = defineJob("fails", async () => {
    throw new Permanent("no use");
  });
  const handler = on("*", "*", async () => {
    throw new Permanent("no use");
  });
  const api = await mailScene({ confirmAddresses }, {}, { jobs: [fails], handlers: [handler], schedules: [report] });
  const { call, app, ports, work } = api;
  const signUp = async (name: string, role = "admin"): Promise<{ id: string; email: string }> => {
    const email = `${name}@example.com`;
    const principal = { kind: "operator", name: "test" } as const;
    const made = await app.run({ operation: "users.create", principal, body: { name, email, password, role } });
    return { id: String((made.body as { id: string }).id), email };
  };
  const signIn = async (email: string): Promise<{ access_token: string; refresh_token: string; challenge?: string }> =>
    (await call("POST", "/sessions", { body: { email, password } })).body;
  let names = 0;
  const number = (): number => {
    names += 1;
    return names;
  };
  const person = async (role?: string) => {
    const made = await signUp(`person-${number()}`, role);
    const { access_token: token, refresh_token: refresh } = await signIn(made.email);
    return { ...made, token, refresh };
  };
  const root = await person();
  const made = async (target: string, body: object, token = root.token): Promise<string> => {
    const { status, body: row } = await call("POST", target, { token, body });
    expect(status).toBe(201);
    return row.id ?? row.name;
  };
  /** The id of a job that failed. */
  const deadJob = async (): Promise<number> => {
    const [id = 0] = await app.enqueue({ kind: "fails", payload: {} } as never);
    await work();
    return id;
  };
  /** The id of an event that failed. */
  const deadEvent = async (): Promise<number> => {
    const event = newEvent(`evt_${number()}`, { jobs: [{ kind: handler.name, maxAttempts: 1 }] });
    await ports.storage.events.accept([event]);
    await work();
    const [{ id } = { id: 0 }] = await ports.storage.events.list({ state: "dead", limit: 1 });
    return id;
  };
  const provider = () => made("/admin/providers", { name: `hub-${number()}`, scheme: "github", key: "k".repeat(20) });
  const plan = async (...moves: readonly string[]): Promise<string> => {
    const id = await made("/admin/plans", { action: "replay" });
    for (const name of moves) await call("POST", `/admin/plans/${id}/${name}`, { token: root.token });
    return id;
  };
  const client = () => made("/admin/clients", { name: "c", user_id: root.id, scopes: ["posts:read"] });
  const post = () => made("/users/me/posts", { title: "T", body: "B", status: "published" });
  const code = async (secret: string) =>
    ports.oneTimeCodes.code(base32Bytes(secret), Math.floor(ports.clock.now() / 30_000));
  return { ...api, root, person, signUp, signIn, made, deadJob, deadEvent, provider, plan, client, post, code };
};

const now = ({ ports }: Scene) => new Date(ports.clock.now()).toISOString();

const mailed = async ({ work, tokenFor }: Scene, email: string, purpose: string): Promise<string> => {
  await work();
  return tokenFor(email, purpose);
};

/** How each operation is called, so that it has an effect. */
const requests: Readonly<Record<string, (scene: Scene) => Promise<Sent>>> = {
  "sessions.create": async ({ signUp }) => {
    const { email } = await signUp("to-sign-in");
    return { target: "/sessions", body: { email, password }, token: undefined };
  },
  "sessions.finish": async (all) => {
    const { token, email } = await all.person();
    const { secret } = (await all.call("POST", "/users/me/second-factor", { token })).body;
    const body = { code: await all.code(secret) };
    await all.call("POST", "/users/me/second-factor/confirmation", { token, body });
    await all.ports.clock.advance(60_000);
    const { challenge = "" } = await all.signIn(email);
    return { target: "/sessions/mfa", body: { challenge, code: await all.code(secret) }, token: undefined };
  },
  "sessions.refresh": async ({ person }) => {
    const { refresh } = await person();
    return { target: "/sessions/refresh", body: { refresh_token: refresh }, token: undefined };
  },
  "sessions.deleteAll": async ({ person }) => ({ target: "/sessions?keep=current", token: (await person()).token }),
  "sessions.delete": async ({ person, signIn, call }) => {
    const { token, email } = await person();
    await signIn(email);
    const { data } = (await call("GET", "/sessions?sort=created_at", { token })).body;
    return { target: `/sessions/${data.at(-1).id}`, token };
  },
  "users.create": async () => ({ target: "/users", body: { name: "N", email: "new@example.com", password } }),
  "users.update": async ({ person }) => ({ target: `/users/${(await person()).id}`, body: { phone: "1" } }),
  "users.delete": async ({ person }) => ({ target: `/users/${(await person()).id}` }),
  "api-keys.create": async () => ({ target: "/api-keys", body: { name: "k", scopes: ["posts:read"] } }),
  "api-keys.rotate": async ({ made }) => ({
    target: `/api-keys/${await made("/api-keys", { name: "k", scopes: ["posts:read"] })}/rotate`,
    body: {},
  }),
  "api-keys.delete": async ({ made }) => ({
    target: `/api-keys/${await made("/api-keys", { name: "k", scopes: ["posts:read"] })}`,
  }),
  "admin.signing-keys.rotate": async () => ({ target: "/admin/signing-keys/rotate", body: {} }),
  "admin.clients.create": async ({ root }) => ({
    target: "/admin/clients",
    body: { name: "c", user_id: root.id, scopes: ["posts:read"] },
  }),
  "admin.clients.renew-secret": async ({ client }) => ({ target: `/admin/clients/${await client()}/secret` }),
  "admin.clients.replace-keys": async ({ client, ports }) => ({
    target: `/admin/clients/${await client()}/keys`,
    body: { keys: [ports.jwtVerifier.newKey("k")] },
  }),
  "admin.clients.delete": async ({ client }) => ({ target: `/admin/clients/${await client()}` }),
  "grants.delete": async (all) => {
    const id = all.ports.ids.uuid();
    const times = { last_used_at: now(all), expires_at: now(all), created_at: now(all), updated_at: now(all) };
    await all.ports.storage.resources.insert(grant, {
      id,
      user_id: all.root.id,
      client_id: nowhere,
      client_name: "client",
      scopes: ["posts:read"],
      redirect_uri: "https://app.example.com/",
      challenge: "",
      code_digest: "",
      family_digest: null,
      refresh_digest: null,
      previous_digest: null,
      successor: null,
      successor_until: null,
      ...times,
    });
    return { target: `/grants/${id}` };
  },
  "admin.outside-identities.create": async ({ person }) => ({
    target: `/admin/users/${(await person()).id}/outside-identities`,
    body: { subject: "s", issuer: "https://id.example.com" },
  }),
  "outside-identities.delete": async (all) => {
    const identity = { id: all.ports.ids.uuid(), user_id: all.root.id, issuer: "https://id.example.com", subject: "s" };
    const linked = {
      identity: "f".repeat(64),
      client_id: null,
      state: "linked",
      created_at: now(all),
      updated_at: now(all),
    };
    await all.ports.storage.resources.insert(outsideIdentity, { ...identity, ...linked });
    return { target: `/users/${all.root.id}/outside-identities/${identity.id}` };
  },
  "password-resets.create": async ({ root }) => ({ target: "/password-resets", body: { email: root.email } }),
  "password-resets.finish": async (all) => {
    const { email } = await all.person();
    await all.askForReset(email);
    const token = await mailed(all, email, "reset");
    return { target: `/password-resets/${token}`, body: { new_password: next }, token: undefined };
  },
  "invitations.accept": async (all) => {
    await all.made("/admin/invitations", { name: "N", email: "invited@example.com" });
    const token = await mailed(all, "invited@example.com", "invite");
    return { target: `/invitations/${token}`, body: { new_password: next }, token: undefined };
  },
  "admin.invitations.create": async () => ({
    target: "/admin/invitations",
    body: { name: "N", email: "also-invited@example.com" },
  }),
  "email-verifications.create": async ({ person }) => ({
    target: "/email-verifications",
    token: (await person()).token,
  }),
  "email-verifications.finish": async (all) => {
    const email = "unverified@example.com";
    await all.call("POST", "/users", { body: { name: "N", email, password } });
    return { target: `/email-verifications/${await mailed(all, email, "verify")}`, token: undefined };
  },
  "sign-ups.finish": async (all) => {
    await all.call("POST", "/users", { body: { name: "N", email: "waiting@example.com", password } });
    return { target: `/sign-ups/${await mailed(all, "waiting@example.com", "sign-up")}`, token: undefined };
  },
  "email-changes.finish": async (all) => {
    const { token } = await all.person("user");
    await all.call("PATCH", "/users/me", { token, body: { email: "changed@example.com" } });
    return { target: `/email-changes/${await mailed(all, "changed@example.com", "address")}`, token: undefined };
  },
  "second-factors.create": async ({ person }) => ({
    target: "/users/me/second-factor",
    token: (await person()).token,
  }),
  "second-factors.confirm": async (all) => {
    const { token } = await all.person();
    const { secret } = (await all.call("POST", "/users/me/second-factor", { token })).body;
    return { target: "/users/me/second-factor/confirmation", token, body: { code: await all.code(secret) } };
  },
  "second-factors.delete": async (all) => {
    const { token } = await all.person();
    const { secret } = (await all.call("POST", "/users/me/second-factor", { token })).body;
    const body = { code: await all.code(secret) };
    await all.call("POST", "/users/me/second-factor/confirmation", { token, body });
    return { target: "/users/me/second-factor", token };
  },
  "exports.create": async () => ({ target: "/users/me/exports" }),
  "posts.create": async () => ({ target: "/users/me/posts", body: { title: "T", body: "B" } }),
  "posts.create-own": async () => ({ target: "/posts", body: { title: "T", body: "B" } }),
  "posts.update": async ({ post }) => ({ target: `/posts/${await post()}`, body: { title: "U" } }),
  "posts.delete": async ({ post }) => ({ target: `/posts/${await post()}` }),
  "comments.create": async ({ post }) => ({ target: `/posts/${await post()}/comments`, body: { body: "B" } }),
  "comments.update": async ({ post, made }) => ({
    target: `/comments/${await made(`/posts/${await post()}/comments`, { body: "B" })}`,
    body: { body: "C" },
  }),
  "comments.delete": async ({ post, made }) => ({
    target: `/comments/${await made(`/posts/${await post()}/comments`, { body: "B" })}`,
  }),
  "admin.events.replay": async ({ deadEvent }) => ({ target: `/admin/events/${await deadEvent()}/replay` }),
  "admin.events.note": async ({ deadEvent }) => ({
    target: `/admin/events/${await deadEvent()}/notes`,
    body: { text: "told the customer" },
  }),
  "admin.events.discard": async ({ deadEvent }) => ({
    target: `/admin/events/${await deadEvent()}/discard`,
    body: { reason: "sent in error" },
  }),
  "admin.events.replayMany": async ({ deadEvent }) => {
    await deadEvent();
    return { target: "/admin/events/replay", body: { state: "dead" } };
  },
  "admin.plans.create": async () => ({ target: "/admin/plans", body: { action: "replay" } }),
  "admin.plans.run": async ({ plan }) => ({ target: `/admin/plans/${await plan()}/run` }),
  "admin.plans.pause": async ({ plan }) => ({ target: `/admin/plans/${await plan("run")}/pause` }),
  "admin.plans.resume": async ({ plan }) => ({ target: `/admin/plans/${await plan("run", "pause")}/resume` }),
  "admin.plans.cancel": async ({ plan }) => ({ target: `/admin/plans/${await plan()}/cancel` }),
  "admin.jobs.retry": async ({ deadJob }) => ({ target: `/admin/jobs/${await deadJob()}/retry` }),
  "admin.jobs.cancel": async ({ app, ports }) => {
    const [id = 0] = await app.enqueue({ kind: "fails", payload: {}, runAt: ports.clock.now() + day } as never);
    return { target: `/admin/jobs/${id}/cancel` };
  },
  "admin.queues.pause": async () => ({ target: "/admin/queues/default/pause" }),
  "admin.queues.resume": async () => ({ target: "/admin/queues/default/resume" }),
  "admin.schedules.pause": async () => ({ target: "/admin/schedules/report/pause" }),
  "admin.schedules.resume": async () => ({ target: "/admin/schedules/report/resume" }),
  "admin.schedules.run": async () => ({ target: "/admin/schedules/report/run" }),
  "admin.providers.create": async () => ({
    target: "/admin/providers",
    body: { name: "another", scheme: "github", key: "k".repeat(20) },
  }),
  "admin.providers.delete": async ({ provider }) => ({ target: `/admin/providers/${await provider()}` }),
  "admin.providers.rotate": async ({ provider }) => ({
    target: `/admin/providers/${await provider()}/keys`,
    body: { key: "l".repeat(20) },
  }),
  "admin.providers.deleteKey": async ({ provider, call, root }) => {
    const name = await provider();
    const body = { key: "l".repeat(20) };
    const { keys } = (await call("POST", `/admin/providers/${name}/keys`, { token: root.token, body })).body;
    return { target: `/admin/providers/${name}/keys/${keys[0].id}` };
  },
};

test.each(["are not", "are"])(
  "each operation that changes something is answered once for each key, where addresses %s confirmed first",
  {
    timeout: 60_000,
  },
  async (how) => {
    const all = await scene(how === "are");
    const changing = newestOf(all.app.versions).operations.filter(
      ({ method, body }) => method !== "GET" && method !== "PUT" && body !== "raw",
    );
    expect(changing.map(({ id }) => id).filter((id) => !(id in requests))).toEqual([]);
    for (const { id, method } of changing) {
      const isConfirmed = id === "sign-ups.finish" || id === "email-changes.finish";
      if (isConfirmed !== (how === "are")) continue;
      const request = requests[id];
      if (request === undefined) continue;
      const sent = await request(all);
      const { target, body } = sent;
      const token = "token" in sent ? sent.token : all.root.token;
      const send = () =>
        all.call(method, target, {
          headers: { "idempotency-key": `key-of-${id}` },
          ...(body === undefined ? {} : { body }),
          ...(token === undefined ? {} : { token }),
        });
      const first = await send();
      const again = await send();
      expect([id, first.status < 300, first.body], JSON.stringify(first.body)).toEqual([id, true, again.body]);
      expect([id, again.status, again.headers["idempotency-replayed"]]).toEqual([id, first.status, "true"]);
      expect(first.headers).not.toHaveProperty("idempotency-replayed");
    }
  },
);

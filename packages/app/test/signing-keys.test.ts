import { createApp, resealSigningKeys, signingKeysOpen } from "@postern/app";
import type { Ports } from "@postern/core";
import { memoryPorts, memorySecretBox, memorySigner, seededRandomness } from "@postern/core/memory";
import type { StoredSigningKey } from "@postern/core/ports";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const daySeconds = 24 * 3600;
const operator = { kind: "operator", name: "test" } as const;

/** The key set as a stranger gets it. */
const keySet = async (app: ReturnType<typeof createApp>): Promise<readonly { readonly kid: string }[]> => {
  const endpoint = app.rooted.find(({ path }) => path === "/.well-known/jwks.json");
  const answer = await endpoint?.answer({
    id: "r",
    method: "GET",
    root: "",
    address: "192.0.2.1",
    agent: "",
    header: () => undefined,
    query: () => new Map(),
    form: async () => new Map(),
  });
  const { keys } = (answer?.body ?? { keys: [] }) as { keys: { kid: string }[] };
  return keys;
};

const kidsIn = (keys: readonly StoredSigningKey[], state: StoredSigningKey["state"]): readonly string[] =>
  keys.filter((key) => key.state === state).map(({ kid }) => kid);

const named = (kids: readonly (string | undefined)[]) => kids.map((kid) => expect.objectContaining({ kid }));

test("the first sign-in makes an active and a next key, and both are published", async () => {
  const ports = memoryPorts();
  const { user } = testApi({ ports });
  await user("ann");
  const keys = await ports.storage.signingKeys.list();
  expect(keys).toHaveLength(2);
  const published = await keySet(createApp({ ports }));
  expect(published).toEqual(named([...kidsIn(keys, "active"), ...kidsIn(keys, "next")]));
  expect(Object.keys(published[0] ?? {}).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
});

test("nodes that start on a new database at the same time agree on one pair of keys", async () => {
  const ports = memoryPorts();
  const nodes = Array.from({ length: 4 }, () => createApp({ ports }));
  const sets = await Promise.all(nodes.map(keySet));
  expect(await ports.storage.signingKeys.list()).toHaveLength(2);
  for (const set of sets) expect(set).toEqual(sets[0]);
});

test("after a rotation the next key signs, the old one's tokens stay valid for the overlap, and every node knows it", async () => {
  const ports = memoryPorts();
  const { call, user } = testApi({ ports });
  const { token } = await user("ann");
  const elsewhere = testApi({ ports });
  const before = await ports.storage.signingKeys.list();
  const node = createApp({ ports });
  await node.run({ operation: "admin.signing-keys.rotate", principal: operator, body: { overlap_seconds: 60 } });
  const after = await ports.storage.signingKeys.list();
  expect(kidsIn(after, "active")).toEqual(kidsIn(before, "next"));
  expect(kidsIn(after, "retired")).toEqual(kidsIn(before, "active"));
  expect(await keySet(node)).toEqual(
    named([...kidsIn(after, "active"), ...kidsIn(after, "next"), ...kidsIn(after, "retired")]),
  );
  expect((await call("GET", "/users/me", { token })).status).toBe(200);
  const bea = await elsewhere.user("bea");
  expect((await call("GET", "/users/me", { token: bea.token })).status).toBe(200);
  await ports.clock.advance(61_000);
  for (const api of [{ call }, elsewhere]) {
    const refused = await api.call("GET", "/users/me", { token });
    expect([refused.status, refused.body.code]).toEqual([401, "invalid_token"]);
  }
  expect((await call("GET", "/users/me", { token: bea.token })).status).toBe(200);
});

test("a rotation without overlap ends the tokens of all earlier keys; one with overlap shortens no earlier one", async () => {
  const ports = memoryPorts();
  const { call, user } = testApi({ ports });
  const rotate = (overlap_seconds: number) =>
    createApp({ ports }).run({
      operation: "admin.signing-keys.rotate",
      principal: operator,
      body: { overlap_seconds },
    });
  const ends = async () =>
    (await ports.storage.signingKeys.list()).filter(({ state }) => state === "retired").map(({ endsAt = 0 }) => endsAt);
  const { token } = await user("ann");
  const began = ports.clock.now();
  await rotate(600);
  await rotate(60);
  expect((await ends()).toSorted()).toEqual([began + 60_000, began + 600_000]);
  await ports.clock.advance(30_000);
  expect((await call("GET", "/users/me", { token })).status).toBe(200);
  await rotate(0);
  expect(new Set(await ends())).toEqual(new Set([began + 30_000]));
  // A process reads the keys every ten seconds.
  await ports.clock.advance(10_000);
  const refused = await call("GET", "/users/me", { token });
  expect([refused.status, refused.body.code]).toEqual([401, "invalid_token"]);
  // A key that has ended stays as it is.
  await rotate(0);
  expect((await ends()).toSorted()).toEqual([...Array(3).fill(began + 30_000), began + 40_000]);
});

test("a key that another node has made is found at once, and strangers' names cost one read at a time", async () => {
  const signer = memorySigner(seededRandomness(5));
  const ports = memoryPorts({ signer });
  const { call, user } = testApi({ ports });
  await user("ann");
  let running = 0;
  let most = 0;
  const { list } = ports.storage.signingKeys;
  Object.assign(ports.storage.signingKeys, {
    list: async () => {
      running += 1;
      most = Math.max(most, running);
      const keys = await list();
      running -= 1;
      return keys;
    },
  });
  const foreign = await signer.newSigningKey();
  const at = Math.floor(ports.clock.now() / 1000);
  const junk = await signer.issueAccessToken(
    {
      issuer: "postern",
      audience: "postern-api",
      subject: "x",
      clientId: "postern",
      tokenId: "t",
      issuedAt: at,
      expiresAt: at + 600,
    },
    foreign,
  );
  // Another node rotates twice: its active key is one that this node has never read.
  for (const body of [{}, {}]) {
    await createApp({ ports }).run({ operation: "admin.signing-keys.rotate", principal: operator, body });
  }
  const bea = await testApi({ ports }).user("bea");
  most = 0;
  const replies = await Promise.all([
    ...Array.from({ length: 20 }, () => call("GET", "/users/me", { token: junk })),
    call("GET", "/users/me", { token: bea.token }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(401), 200]);
  expect(most).toBe(1);
});

test("tokens of another issuer or for another audience are refused, though our own key signed them", async () => {
  const ports = memoryPorts();
  const api = testApi({ ports, settings: { issuer: "https://api.example.com" } });
  const { id, token } = await api.user("ann");
  const sessionId = String((await api.call("GET", "/sessions", { token })).body.data[0].id);
  const active = (await ports.storage.signingKeys.list()).find(({ state }) => state === "active");
  const issuedAt = Math.floor(ports.clock.now() / 1000);
  const right = { issuer: "https://api.example.com", audience: "https://api.example.com/api" };
  const outcome = async (names: { issuer: string; audience: string }) => {
    const claims = { ...names, subject: id, clientId: "postern", tokenId: "t", sessionId, issuedAt };
    const key = {
      kid: active?.kid ?? "",
      publicKey: { kty: "EC", crv: "P-256", x: "", y: "" },
      privateKey: "",
    } as const;
    const made = await ports.signer.issueAccessToken({ ...claims, expiresAt: issuedAt + 600 }, key);
    return (await api.call("GET", "/users/me", { token: made })).status;
  };
  expect(await outcome(right)).toBe(200);
  expect(await outcome({ ...right, issuer: "https://other.example.com" })).toBe(401);
  expect(await outcome({ ...right, audience: "https://api.example.com/other" })).toBe(401);
  expect(await outcome({ ...right, issuer: "postern" })).toBe(401);
});

test("the schedule rotates a key that has signed for thirty days, and forgets keys that ended long ago", async () => {
  const ports = memoryPorts();
  await testApi({ ports }).user("ann");
  const active = async () => kidsIn(await ports.storage.signingKeys.list(), "active");
  // Enough places that one round starts every job of every schedule.
  const worker = createApp({ ports }).worker({ name: "only", concurrency: 20 });
  await worker.start();
  const days = async (count: number) => {
    ports.clock.jump(count * daySeconds * 1000);
    await worker.fireSchedules();
    await worker.runDue();
    await ports.clock.advance(0);
  };
  const first = await active();
  await days(29);
  expect(await active()).toEqual(first);
  await days(2);
  const second = await active();
  expect(second).not.toEqual(first);
  await days(2);
  expect(await active()).toEqual(second);
  await days(40);
  expect((await ports.storage.signingKeys.list()).map(({ kid }) => kid)).not.toContain(first[0]);
});

test("a new secret key seals the signing keys anew; with a key that opens none, a rotation makes new ones", async () => {
  const both = memorySecretBox();
  const ports = memoryPorts({ secretBox: both });
  await testApi({ ports }).user("ann");
  const before = await ports.storage.signingKeys.list();
  expect(await resealSigningKeys(ports)).toBe(2);
  expect(await ports.storage.signingKeys.list()).toEqual(before);
  const lost: Ports = { ...ports, secretBox: memorySecretBox("another key") };
  expect(await signingKeysOpen(ports)).toBe(true);
  expect(await signingKeysOpen(lost)).toBe(false);
  await expect(resealSigningKeys(lost)).rejects.toThrow(/altered or belongs/);
  const body = { email: "ann@example.com", password: "correct horse battery" };
  const signedIn = await testApi({ ports: lost as typeof ports }).call("POST", "/sessions", { body });
  expect([signedIn.status, signedIn.body.code]).toEqual([503, "unavailable"]);
  await createApp({ ports: lost }).run({ operation: "admin.signing-keys.rotate", principal: operator, body: {} });
  expect(await signingKeysOpen(lost)).toBe(true);
  expect((await testApi({ ports: lost as typeof ports }).call("POST", "/sessions", { body })).status).toBe(201);
});

test("only administrators see and rotate keys, nothing secret is shown, and the audit log has it", async () => {
  const api = testApi();
  const root = await api.admin();
  const ann = await api.user("ann");
  expect((await api.call("GET", "/admin/signing-keys", { token: ann.token })).status).toBe(403);
  const rotated = await api.call("POST", "/admin/signing-keys/rotate", { token: root.token, body: {} });
  expect([rotated.status, rotated.body.state]).toEqual([200, "active"]);
  const listed = await api.call("GET", "/admin/signing-keys", { token: root.token });
  expect(listed.body.data.map(({ state }: { state: string }) => state).toSorted()).toEqual([
    "active",
    "next",
    "retired",
  ]);
  expect(JSON.stringify(listed.body)).not.toMatch(/sealed|"d"|private/);
  const audit = await api.call("GET", "/admin/audit?filter[action]=admin.signing-keys.rotate", { token: root.token });
  expect(audit.body.data).toMatchObject([{ resource: "signing_key", result: "done" }]);
});

test.each([
  ["whose tokens end at once", 0, 150],
  ["whose tokens stay valid", 3_600, 97],
])("any number of rotations leaves a key that signs: %s", async (_what, overlap_seconds, most) => {
  const ports = memoryPorts();
  const { user } = testApi({ ports });
  await user("ann");
  const node = createApp({ ports });
  let rotated = 0;
  let refusal: unknown;
  while (rotated < 150 && refusal === undefined) {
    await ports.clock.advance(1);
    const body = { overlap_seconds };
    refusal = await node.run({ operation: "admin.signing-keys.rotate", principal: operator, body }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (refusal === undefined) rotated += 1;
  }
  expect(rotated).toBe(most);
  if (most < 150) {
    expect(refusal).toMatchObject({ code: "state_conflict" });
    // A leaked key must never wait for others to end.
    const body = { overlap_seconds: 0 };
    await node.run({ operation: "admin.signing-keys.rotate", principal: operator, body });
  }
  const keys = await ports.storage.signingKeys.list();
  expect([kidsIn(keys, "active").length, kidsIn(keys, "next").length]).toEqual([1, 1]);
  const { call, user: sameUser } = testApi({ ports });
  const { token } = await sameUser("bea");
  expect((await call("GET", "/users/me", { token })).status).toBe(200);
});

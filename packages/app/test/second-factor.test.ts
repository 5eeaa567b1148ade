import { type AppOptions, resealSecondFactors, user } from "@postern/app";
import { allRows } from "@postern/core";
import { memorySecretBox } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { secondFactor } from "../src/resources/second-factor.ts";
import { createAccessTokens } from "../src/tokens/access-tokens.ts";
import { createSigningKeys } from "../src/tokens/signing-keys.ts";
import { testApi } from "./api.ts";
import { base32Bytes } from "./mail-scene.ts";

const password = "correct horse battery";
const minute = 60_000;
const scene = async (settings: AppOptions["settings"] = { rateLimits: "off" }) => {
  const api = testApi({ settings });
  const { call, ports } = api;
  /** What the app shows, so many steps from now. */
  const codeOf = (secret: string, steps = 0) =>
    ports.oneTimeCodes.code(base32Bytes(secret), Math.floor(ports.clock.now() / 30_000) + steps);
  const signIn = (email: string, given = password) => call("POST", "/sessions", { body: { email, password: given } });
  const finish = (challenge: string, code: string) => call("POST", "/sessions/mfa", { body: { challenge, code } });
  const enrol = async (token: string) => {
    const { secret, uri } = (await call("POST", "/users/me/second-factor", { token })).body;
    const path = "/users/me/second-factor/confirmation";
    const confirmed = await call("POST", path, { token, body: { code: await codeOf(secret) } });
    expect(confirmed.status).toBe(200);
    const recovery: string[] = confirmed.body.recovery_codes;
    await ports.clock.advance(minute);
    return { secret: String(secret), uri: String(uri), recovery };
  };
  const isLive = async (token: string) => (await call("GET", "/users/me", { token })).status === 200;
  return { ...api, codeOf, signIn, finish, enrol, isLive };
};

describe("a second factor", () => {
  test("is asked for once it is confirmed, and ends the sessions that began without it", async () => {
    const { user: make, signIn, finish, codeOf, call, isLive, ports } = await scene();
    const ada = await make("ada");
    const other = (await signIn("ada@example.com")).body.access_token;
    const begun = await call("POST", "/users/me/second-factor", { token: ada.token });
    expect([begun.status, begun.headers["cache-control"]]).toEqual([201, "no-store"]);
    const { secret, uri } = begun.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toBe(`otpauth://totp/Postern%3Aada%40example.com?secret=${secret}&issuer=Postern`);
    // Until it is confirmed, nobody can lock themselves out.
    expect((await signIn("ada@example.com")).status).toBe(201);
    const confirm = (code: string) =>
      call("POST", "/users/me/second-factor/confirmation", { token: ada.token, body: { code } });
    expect((await confirm("000000")).body.code).toBe("invalid_credentials");
    const confirmed = await confirm(await codeOf(secret));
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
    expect([await isLive(ada.token), await isLive(other)]).toEqual([true, false]);
    expect((await call("GET", "/users/me", { token: ada.token })).body.second_factor_at).toMatch(/^\d{4}-/);

    await ports.clock.advance(minute);
    const asked = await signIn("ada@example.com");
    expect([asked.status, asked.body.code, asked.body.access_token]).toEqual([401, "mfa_required", undefined]);
    const done = await finish(asked.body.challenge, await codeOf(secret));
    expect([done.status, await isLive(done.body.access_token)]).toEqual([201, true]);
    expect((await signIn("ada@example.com", "wrong horse battery")).body.code).toBe("invalid_credentials");
  });

  test("takes each code once, also when two come at the same moment", async () => {
    const { user: make, signIn, finish, codeOf, enrol, ports } = await scene();
    const { token } = await make("ada");
    const { secret, recovery } = await enrol(token);
    const challenge = async (): Promise<string> => (await signIn("ada@example.com")).body.challenge;
    const code = await codeOf(secret);
    const [one, two] = [await challenge(), await challenge()];
    const both = await Promise.all([finish(one, code), finish(two, code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expect((await finish(await challenge(), code)).body.code).toBe("invalid_credentials");
    await ports.clock.advance(minute);
    // A clock that goes ahead, and a code of the step before the last one that was used.
    expect((await finish(await challenge(), await codeOf(secret, 1))).status).toBe(201);
    expect((await finish(await challenge(), await codeOf(secret))).body.code).toBe("invalid_credentials");
    expect((await finish(await challenge(), await codeOf(secret, 2))).body.code).toBe("invalid_credentials");
    await ports.clock.advance(10 * minute);
    const [first = "", second = ""] = recovery;
    expect((await finish(await challenge(), first.toLowerCase())).status).toBe(201);
    expect((await finish(await challenge(), first)).body.code).toBe("invalid_credentials");
    expect((await finish(await challenge(), second)).status).toBe(201);
  });

  test("bounds the tries: five for a sign-in, five sign-ins at once, ten in a quarter of an hour", async () => {
    const { user: make, signIn, finish, codeOf, enrol, ports } = await scene({ rateLimits: "on" });
    const { token } = await make("ada");
    const { secret } = await enrol(token);
    const challenge = (await signIn("ada@example.com")).body.challenge;
    const wrong = String((Number(await codeOf(secret)) + 1) % 1_000_000).padStart(6, "0");
    for (let tried = 0; tried < 5; tried += 1) {
      expect((await finish(challenge, wrong)).body.code).toBe("invalid_credentials");
    }
    expect((await finish(challenge, await codeOf(secret))).body.code).toBe("invalid_token");
    const challenges: string[] = [];
    for (let waiting = 0; waiting < 6; waiting += 1) challenges.push((await signIn("ada@example.com")).body.challenge);
    expect(challenges.filter((one) => one !== undefined)).toHaveLength(5);
    await ports.clock.advance(5 * minute);
    expect((await finish(challenges[0] ?? "", await codeOf(secret))).body.code).toBe("invalid_token");
    expect((await signIn("ada@example.com")).body.challenge).toBeDefined();
  });

  test("counts only for the account and the sign-in that it was asked for", async () => {
    const { user: make, signIn, finish, codeOf, enrol, ports, call } = await scene();
    const [ada, bob] = [await make("ada"), await make("bob")];
    const [hers, his] = [await enrol(ada.token), await enrol(bob.token)];
    const challengeOf = async (name: string): Promise<string> => (await signIn(`${name}@example.com`)).body.challenge;
    const [first, second, other] = [await challengeOf("ada"), await challengeOf("ada"), await challengeOf("bob")];
    // The code of one account with the challenge of another, in both directions.
    for (const [challenge, code] of [
      [first, await codeOf(his.secret)],
      [first, his.recovery[0] ?? ""],
      [other, await codeOf(hers.secret)],
      [other, hers.recovery[0] ?? ""],
    ] as const) {
      const swapped = await finish(challenge, code);
      expect([swapped.status, swapped.body.code, swapped.body.access_token]).toEqual([
        401,
        "invalid_credentials",
        undefined,
      ]);
    }
    // The name of one challenge with the secret of another.
    const [, name = "", secret = ""] = first.split("_");
    for (const mixed of [
      `act_${name}_${other.split("_")[2]}`,
      `act_${other.split("_")[1]}_${secret}`,
      `act_${second.split("_")[1]}_${secret}`,
    ]) {
      expect((await finish(mixed, await codeOf(hers.secret))).body.code).toBe("invalid_token");
    }
    // A challenge serves no other purpose, and a session cannot replace it.
    const body = { new_password: "another horse staple" };
    expect((await call("POST", `/password-resets/${first}`, { body })).body.code).toBe("not_found");
    expect((await call("GET", "/users/me", { token: first })).status).toBe(401);
    expect((await finish(ada.token.slice(0, 64), await codeOf(hers.secret))).body.code).toBe("invalid_token");
    // None of that used anything up. Each challenge gives its own account, once.
    const done = await finish(first, await codeOf(hers.secret));
    const me = await call("GET", "/users/me", { token: done.body.access_token });
    expect([done.status, me.body.id]).toEqual([201, ada.id]);
    await ports.clock.advance(minute);
    expect((await finish(first, await codeOf(hers.secret))).body.code).toBe("invalid_token");
    const recovered = await finish(other, his.recovery[0] ?? "");
    const him = await call("GET", "/users/me", { token: recovered.body.access_token });
    expect([recovered.status, him.body.id]).toEqual([201, bob.id]);
    expect((await finish(await challengeOf("ada"), hers.recovery[0] ?? "")).status).toBe(201);
  });

  test("that is being set up is confirmed by its own account alone", async () => {
    const { user: make, codeOf, call } = await scene();
    const [ada, bob] = [await make("ada"), await make("bob")];
    const begin = async (token: string) =>
      String((await call("POST", "/users/me/second-factor", { token })).body.secret);
    const [hers] = [await begin(ada.token), await begin(bob.token)];
    const body = { code: await codeOf(hers) };
    const path = "/users/me/second-factor/confirmation";
    expect((await call("POST", path, { token: bob.token, body })).body.code).toBe("invalid_credentials");
    expect((await call("POST", `/users/${ada.id}/second-factor/confirmation`, { token: bob.token, body })).status).toBe(
      404,
    );
    expect((await call("POST", path, { token: ada.token, body })).status).toBe(200);
    expect((await call("GET", "/users/me", { token: bob.token })).body.second_factor_at).toBeNull();
  });

  test("does not outlive the password that its sign-in began with", async () => {
    const { user: make, signIn, finish, codeOf, enrol, call } = await scene();
    const { token } = await make("ada");
    const { secret } = await enrol(token);
    const { challenge } = (await signIn("ada@example.com")).body;
    const body = { current_password: password, new_password: "another horse staple" };
    expect((await call("PUT", "/users/me/password", { token, body })).status).toBe(204);
    expect((await finish(challenge, await codeOf(secret))).body.code).toBe("invalid_credentials");
  });

  test("is asked for after a password reset, too", async () => {
    const api = await scene({ rateLimits: "off", accountPage: "https://api.example.com/api/account" });
    const { user: make, enrol, signIn, call, ports, app } = api;
    const worker = app.worker({ name: "only", concurrency: 10 });
    await worker.start();
    await enrol((await make("ada")).token);
    await call("POST", "/password-resets", { body: { email: "ada@example.com" } });
    for (let looked = 0; looked < 5; looked += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
    }
    const token = ports.mailer.sent.flatMap(({ text }) => /#reset=(act_\w+)/.exec(text)?.[1] ?? [])[0];
    const body = { new_password: "another horse staple" };
    expect((await call("POST", `/password-resets/${token}`, { body })).status).toBe(204);
    expect((await signIn("ada@example.com", body.new_password)).body.code).toBe("mfa_required");
  });

  test("is kept sealed, and sealed anew under another key; recovery codes are digests", async () => {
    const { user: make, enrol, ports, signIn, finish, codeOf } = await scene();
    const { token, id } = await make("ada");
    const { secret, recovery } = await enrol(token);
    const row = () => ports.storage.resources.find(secondFactor, id, allRows("test"));
    const before = await row();
    expect(JSON.stringify(before)).not.toMatch(new RegExp([secret, ...recovery].join("|")));
    expect(await resealSecondFactors(ports)).toBe(1);
    const other = memorySecretBox("other");
    const lost = { storage: ports.storage, secretBox: other };
    await expect(resealSecondFactors(lost)).rejects.toThrow();
    const { challenge } = (await signIn("ada@example.com")).body;
    expect((await finish(challenge, await codeOf(secret))).status).toBe(201);
  });

  test("ends by a recent sign-in, by an administrator, and with the account", async () => {
    const { user: make, admin, enrol, signIn, call, ports } = await scene();
    const ada = await make("ada");
    await enrol(ada.token);
    await ports.clock.advance(5 * minute);
    const end = (token: string, id = "me") => call("DELETE", `/users/${id}/second-factor`, { token });
    expect((await end(ada.token)).body.code).toBe("sign_in_too_old");
    const eve = await make("eve");
    expect((await end(eve.token, ada.id)).body.code).toBe("not_found");
    const root = await admin();
    expect((await end(root.token, ada.id)).status).toBe(204);
    expect((await signIn("ada@example.com")).status).toBe(201);
    expect((await end(root.token, ada.id)).body.code).toBe("not_found");
    await enrol(eve.token);
    await call("DELETE", "/users/me", { token: eve.token });
    expect(await ports.storage.resources.find(secondFactor, eve.id, allRows("test"))).toBeUndefined();
    expect(await ports.storage.resources.find(user, eve.id, allRows("test"))).toBeUndefined();
  });
});

test("where administrators need one, a role has no effect without it, for sessions and keys alike", async () => {
  const { admin, enrol, call, user: make } = await scene({ rateLimits: "off", adminMfa: "required" });
  const root = await admin();
  const ada = await make("ada");
  const key = await call("POST", "/api-keys", {
    token: root.token,
    body: { name: "k", scopes: ["audit:read", "users:read"] },
  });
  const credentials = [root.token, String(key.body.key)];
  for (const token of credentials) {
    const refused = await call("GET", "/admin/audit", { token });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect(refused.body.detail).toContain("POST /users/me/second-factor");
    expect((await call("GET", `/users/${ada.id}`, { token })).status).toBe(404);
  }
  await enrol(root.token);
  for (const token of credentials) {
    expect((await call("GET", "/admin/audit", { token })).status).toBe(200);
    expect((await call("GET", `/users/${ada.id}`, { token })).status).toBe(200);
  }
  await call("DELETE", "/users/me/second-factor", { token: root.token });
  expect((await call("GET", "/admin/audit", { token: root.token })).status).toBe(403);
});

test("where administrators need one, it holds for the clients that act for them", async () => {
  const { admin, enrol, call, ports } = await scene({ rateLimits: "off", adminMfa: "required" });
  const root = await admin();
  await enrol(root.token);
  const made = await call("POST", "/admin/clients", {
    token: root.token,
    body: { name: "report", user_id: root.id, scopes: ["audit:read"] },
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  const tokens = createAccessTokens(ports, createSigningKeys(ports), {});
  const token = await tokens.issue({ subject: id, clientId: id, scopes: ["audit:read"] });
  expect((await call("GET", "/admin/audit", { token })).status).toBe(200);
  await call("DELETE", "/users/me/second-factor", { token: root.token });
  expect((await call("GET", "/admin/audit", { token })).status).toBe(403);
});

test("a sign-in waits five minutes for the second factor, five of an account do, and five wrong codes end one", async () => {
  const { user: make, signIn, finish, codeOf, enrol, ports } = await scene();
  const { token } = await make("ada");
  const { secret } = await enrol(token);
  const asked = await signIn("ada@example.com");
  expect(asked.body.expires_in).toBe(300);
  for (let others = 0; others < 4; others += 1) await signIn("ada@example.com");
  const sixth = await signIn("ada@example.com");
  expect([sixth.status, sixth.headers["retry-after"]]).toEqual([429, "300"]);
  for (let tries = 0; tries < 5; tries += 1) {
    expect((await finish(asked.body.challenge, "000000")).body.code).toBe("invalid_credentials");
  }
  expect((await finish(asked.body.challenge, await codeOf(secret))).body.code).toBe("invalid_token");
  const late = await signIn("ada@example.com");
  await ports.clock.advance(5 * minute);
  expect((await finish(late.body.challenge, await codeOf(secret))).body.code).toBe("invalid_token");
});

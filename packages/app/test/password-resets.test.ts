import { allRows, equals, type NewJob, type Storage, type Stores } from "@postern/core";
import { memoryPorts, memoryStorage } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { accountToken } from "../src/resources/account-token.ts";
import { apiKey } from "../src/resources/api-key.ts";
import { accountPage, isLive, mailScene, minute, next, password } from "./mail-scene.ts";

describe("a password reset", () => {
  test("sends a link that sets a password once, ends every session and verifies the address", async () => {
    const api = await mailScene();
    const { askForReset, setPassword, tokenFor, signIn, work, mailsTo } = api;
    const ada = await api.user("ada");
    await work();
    expect((await askForReset("Ada@Example.com")).status).toBe(202);
    expect(mailsTo("ada@example.com").filter(({ text }) => text.includes("#reset="))).toEqual([]);
    await work();
    const token = tokenFor("ada@example.com", "reset");
    expect(mailsTo("ada@example.com").at(-1)?.text).toContain(`${accountPage}#reset=${token}\n`);
    expect((await setPassword(token)).status).toBe(204);
    expect(await isLive(api, ada.token)).toBe(false);
    expect((await signIn("ada@example.com")).body.code).toBe("invalid_credentials");
    const again = await signIn("ada@example.com", next);
    expect(again.status).toBe(201);
    const me = await api.call("GET", "/users/me", { token: again.body.access_token });
    expect(me.body.verified_email).toBe("ada@example.com");
    expect((await setPassword(token)).body.code).toBe("not_found");
    await work();
    expect(mailsTo("ada@example.com").at(-1)?.text).toContain("The password of your account was changed.");
  });

  test.each([
    ["stay valid, and the mail says how many", false],
    ["end with it where the user says so", true],
  ])("API keys of the user %s", async (_what, revoke_api_keys) => {
    const { call, user, ports, askForReset, tokenFor, work, mailsTo } = await mailScene();
    const ada = await user("ada");
    const bob = await user("bob");
    const newKey = async (token: string, more: object = {}) =>
      (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["users:read"], ...more } })).body.key;
    const keys = [await newKey(ada.token), await newKey(ada.token)];
    const soon = new Date(ports.clock.now() + minute).toISOString();
    const over = await newKey(ada.token, { expires_at: soon });
    const others = await newKey(bob.token);
    await ports.clock.advance(2 * minute);
    await askForReset("ada@example.com");
    await work();
    const path = `/password-resets/${tokenFor("ada@example.com", "reset")}`;
    expect((await call("POST", path, { body: { new_password: next, revoke_api_keys } })).status).toBe(204);
    const statuses = await Promise.all(
      [...keys, others, over].map(async (token) => (await call("GET", "/users/me", { token })).status),
    );
    expect(statuses).toEqual(revoke_api_keys ? [401, 401, 200, 401] : [200, 200, 200, 401]);
    await work();
    expect(mailsTo("ada@example.com").at(-1)?.text).toContain(
      revoke_api_keys ? "2 API keys of your account ended with it." : "2 API keys of your account stay valid.",
    );
    const [entry] = await ports.storage.audit.list({ action: "password-resets.finish", limit: 1 });
    expect(entry?.fields.includes("api_keys")).toBe(revoke_api_keys);
    const last = mailsTo("ada@example.com").length;
    const signedIn = await call("POST", "/sessions", { body: { email: "ada@example.com", password: next } });
    const body = { current_password: next, new_password: password, revoke_api_keys: true };
    const changed = await call("PUT", "/users/me/password", { token: signedIn.body.access_token, body });
    expect(changed.status).toBe(204);
    expect((await call("GET", "/users/me", { token: keys[0] })).status).toBe(401);
    await work();
    expect(mailsTo("ada@example.com")[last]?.text.includes("API key")).toBe(!revoke_api_keys);
  });

  test("leaves no API key behind that a session makes at the same moment", async () => {
    const { secretBox } = memoryPorts();
    let meanwhile = async (): Promise<unknown> => undefined;
    const slow: typeof secretBox = {
      ...secretBox,
      digest: async (text) => {
        if (text.startsWith("ak_")) await meanwhile();
        return secretBox.digest(text);
      },
    };
    const { call, user, ports } = await mailScene({}, { secretBox: slow });
    const { token, id } = await user("ada");
    meanwhile = () => {
      const body = { current_password: password, new_password: next, revoke_api_keys: true };
      return call("PUT", "/users/me/password", { token, body });
    };
    const made = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["users:read"] } });
    expect([made.status, made.body.code]).toEqual([401, "invalid_token"]);
    const where = equals("user_id", id);
    expect(await ports.storage.resources.count(apiKey, { scope: allRows("test"), where }, 10)).toBe(0);
  });

  test("answers an address without an account alike, stores the same, and sends nothing", async () => {
    const { askForReset, sent, work, ports, user } = await mailScene();
    await user("ada");
    await work();
    const before = sent.length;
    const known = await askForReset("ada@example.com");
    const unknown = await askForReset("nobody@example.com");
    expect([unknown.status, unknown.body, unknown.headers]).toEqual([known.status, known.body, known.headers]);
    const jobs = (await ports.storage.jobRecords.list({ limit: 2 })).map(({ kind, queue, state }) => [
      kind,
      queue,
      state,
    ]);
    expect(jobs[0]).toEqual(jobs[1]);
    const entries = await ports.storage.audit.list({ action: "password-resets.create", limit: 5 });
    expect(entries.map(({ id: _id, at: _at, ...rest }) => rest)).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ actor: { kind: "anonymous" }, resource: "user" })),
    );
    expect(entries.every(({ resourceId }) => resourceId === undefined)).toBe(true);
    await work();
    expect(sent.slice(before).map(({ to }) => to)).toEqual(["ada@example.com"]);
  });

  test("keeps no token and no address in clear text", async () => {
    const inner = memoryStorage();
    const enqueued: NewJob[] = [];
    const watched = (stores: Stores): Stores => ({
      ...stores,
      jobs: {
        ...stores.jobs,
        enqueue: (jobs, now) => {
          enqueued.push(...jobs);
          return stores.jobs.enqueue(jobs, now);
        },
      },
    });
    const storage: Storage = {
      ...inner,
      transaction: (work) => inner.transaction((stores, own) => work(watched(stores), own)),
    };
    const { askForReset, ports, user, work, tokenFor } = await mailScene({}, { storage });
    await user("ada");
    await askForReset("ada@example.com");
    expect(enqueued.map(({ kind }) => kind)).toEqual(["postern.account-mail", "postern.account-mail"]);
    expect(JSON.stringify(enqueued)).not.toMatch(/ada|example/);
    await work();
    const token = tokenFor("ada@example.com", "reset");
    expect(token).toMatch(/^act_[0-9A-Za-z]{22}_[0-9A-Za-z]{22}$/);
    const rows = await ports.storage.resources.list(accountToken, {
      scope: allRows("test"),
      order: [{ field: "id", direction: "asc" }],
      limit: 10,
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token.slice(27));
  });

  test("is refused with a token that is altered, late, for something else, or for an address of before", async () => {
    const { askForReset, setPassword, tokenFor, work, ports, call, user } = await mailScene();
    const ada = await user("ada");
    await work();
    const verify = tokenFor("ada@example.com", "verify");
    await askForReset("ada@example.com");
    await work();
    const token = tokenFor("ada@example.com", "reset");
    const altered = token.slice(0, -1) + (token.endsWith("a") ? "b" : "a");
    for (const wrong of [altered, "act_", "x", verify, token.toUpperCase()]) {
      expect([wrong, (await setPassword(wrong)).body.code]).toEqual([wrong, "not_found"]);
    }
    expect(
      (await call("PATCH", "/users/me", { token: ada.token, body: { email: "countess@example.com" } })).status,
    ).toBe(200);
    expect((await setPassword(token)).body.code).toBe("not_found");
    await askForReset("countess@example.com");
    await work();
    const late = tokenFor("countess@example.com", "reset");
    await ports.clock.advance(30 * minute);
    expect((await setPassword(late)).body.code).toBe("not_found");
  });

  test("keeps the link good when the new password is refused, and works for one of many at once", async () => {
    const { askForReset, setPassword, tokenFor, work, user, signIn } = await mailScene();
    await user("ada");
    await askForReset("ada@example.com");
    await work();
    const token = tokenFor("ada@example.com", "reset");
    expect((await setPassword(token, "aaaaaaaa")).body.code).toBe("validation_failed");
    const results = await Promise.all([1, 2, 3, 4].map((n) => setPassword(token, `${next} ${n}`)));
    expect(results.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404]);
    const winner = results.findIndex(({ status }) => status === 204) + 1;
    expect((await signIn("ada@example.com", `${next} ${winner}`)).status).toBe(201);
  });

  test("sends five links at most in half an hour, and the use of one ends the others", async () => {
    const { askForReset, setPassword, mailsTo, work, user, ports } = await mailScene();
    await user("ada");
    await work();
    const resets = () => mailsTo("ada@example.com").flatMap(({ text }) => /#reset=(act_\w+)/.exec(text)?.[1] ?? []);
    for (let asked = 0; asked < 8; asked += 1) {
      await askForReset("ada@example.com");
      await work();
    }
    expect(resets()).toHaveLength(5);
    await ports.clock.advance(30 * minute);
    await askForReset("ada@example.com");
    await askForReset("ada@example.com");
    await work();
    expect(resets()).toHaveLength(6);
    await askForReset("ada@example.com");
    await work();
    const [sixth = "", seventh = ""] = resets().slice(5);
    expect((await setPassword(seventh)).status).toBe(204);
    expect((await setPassword(sixth)).body.code).toBe("not_found");
  });
});

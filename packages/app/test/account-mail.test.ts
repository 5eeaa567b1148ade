import type { AppOptions } from "@postern/app";
import { allRows, equals, type NewJob, type Storage, type Stores } from "@postern/core";
import { memoryMailer, memoryPorts, memoryStorage } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { accountToken } from "../src/resources/account-token.ts";
import { apiKey } from "../src/resources/api-key.ts";
import { type Api, testApi } from "./api.ts";

const password = "correct horse battery";
const next = "another horse staple";
const minute = 60_000;
const accountPage = "https://api.example.com/api/account";

/** The app with mail, and a worker that sends it. */
const scene = async (settings: AppOptions["settings"] = {}, instead: Parameters<typeof testApi>[1] = {}) => {
  const api = testApi({ settings: { rateLimits: "off", accountPage, ...settings } }, instead);
  const worker = api.app.worker({ name: "only", concurrency: 10 });
  await worker.start();
  const { call, ports } = api;
  const { sent } = ports.mailer;
  /** Looks for work until there is none. */
  const work = async () => {
    for (let looked = 0; looked < 5; looked += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
    }
  };
  const signIn = (email: string, given = password) => call("POST", "/sessions", { body: { email, password: given } });
  const mailsTo = (address: string) => sent.filter(({ to }) => to === address);
  /** The token in the newest mail to an address with a link for this purpose. */
  const tokenFor = (address: string, purpose: string): string =>
    mailsTo(address)
      .flatMap(({ text }) => new RegExp(`#${purpose}=(act_\\w+)`).exec(text)?.[1] ?? [])
      .at(-1) ?? "";
  const askForReset = (email: string) => call("POST", "/password-resets", { body: { email } });
  const setPassword = (token: string, given = next) =>
    call("POST", `/password-resets/${token}`, { body: { new_password: given } });
  return { ...api, worker, sent, signIn, mailsTo, tokenFor, askForReset, setPassword, work };
};

const isLive = async ({ call }: Pick<Api, "call">, token: string) =>
  (await call("GET", "/users/me", { token })).status === 200;

describe("a password reset", () => {
  test("sends a link that sets a password once, ends every session and verifies the address", async () => {
    const api = await scene();
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
    const { call, user, ports, askForReset, tokenFor, work, mailsTo } = await scene();
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
    const { call, user, ports } = await scene({}, { secretBox: slow });
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
    const { askForReset, sent, work, ports, user } = await scene();
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
    const storage: Storage = { ...inner, transaction: (work) => inner.transaction((stores) => work(watched(stores))) };
    const { askForReset, ports, user, work, tokenFor } = await scene({}, { storage });
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
    const { askForReset, setPassword, tokenFor, work, ports, call, user } = await scene();
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
    const { askForReset, setPassword, tokenFor, work, user, signIn } = await scene();
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
    const { askForReset, setPassword, mailsTo, work, user, ports } = await scene();
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

describe("a mail that cannot be sent", () => {
  test("is tried again with another link, and the first one is void", async () => {
    const tries: string[] = [];
    const mailer = memoryMailer();
    const failing = {
      ...mailer,
      send: async (mail: Parameters<typeof mailer.send>[0]) => {
        tries.push(mail.text);
        if (tries.length < 3) throw new Error("the mail server is away");
        return mailer.send(mail);
      },
    };
    const { work, ports, setPassword, tokenFor, askForReset, user } = await scene({}, { mailer: failing });
    await user("ada");
    for (const wait of [0, 5_000, 30_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    tries.length = 0;
    await askForReset("ada@example.com");
    for (const wait of [0, 5_000, 30_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    const [first = "", ...others] = tries.map((text) => /#reset=(act_\w+)/.exec(text)?.[1] ?? "");
    expect(new Set([first, ...others]).size).toBe(3);
    expect((await setPassword(first)).body.code).toBe("not_found");
    expect((await setPassword(tokenFor("ada@example.com", "reset"))).status).toBe(204);
  });

  test("is given up after as many tries as are set", async () => {
    const tries: string[] = [];
    const mailer = memoryMailer();
    const failing: typeof mailer = {
      ...mailer,
      send: async ({ text }) => {
        tries.push(text);
        throw new Error("the mail server is away");
      },
    };
    const { work, ports, askForReset, user } = await scene({ mailTries: 2 }, { mailer: failing });
    await user("ada");
    for (const wait of [0, 5_000, 30_000, 300_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    tries.length = 0;
    await askForReset("ada@example.com");
    for (const wait of [0, 5_000, 30_000, 300_000]) {
      await ports.clock.advance(wait);
      await work();
    }
    expect(tries).toHaveLength(2);
  });

  test.each([
    ["half of the slots", 6, {}, 3],
    ["four slots", 100, {}, 4],
    ["the only slot", 1, {}, 1],
    ["as many slots as are set", 6, { "account-mail": { concurrency: 2 } }, 2],
  ])(
    "leaves slots to other jobs if the mail server is slow: mails take %s",
    async (_what, concurrency, queues, most) => {
      let sending = 0;
      const mailer = memoryMailer();
      const slow: typeof mailer = {
        ...mailer,
        send: () => {
          sending += 1;
          return new Promise(() => undefined);
        },
      };
      const api = testApi({ settings: { rateLimits: "off", accountPage, confirmAddresses: true } }, { mailer: slow });
      const worker = api.app.worker({ name: "only", concurrency, queues });
      await worker.start();
      for (let stranger = 0; stranger < 12; stranger += 1) {
        const body = { name: "Ada", email: `stranger-${stranger}@example.com`, password };
        expect((await api.call("POST", "/users", { body })).status).toBe(202);
      }
      // It waits for no run that is under way.
      void worker.runDue();
      for (let looked = 0; looked < 5; looked += 1) await api.ports.clock.advance(0);
      await expect.poll(() => sending).toBe(most);
      for (let looked = 0; looked < 5; looked += 1) await api.ports.clock.advance(1_000);
      expect(sending).toBe(most);
    },
  );

  test("is not sent at all without a mail server; requests are answered as ever", async () => {
    const { askForReset, ports, user } = await scene({}, { mailer: memoryMailer({ target: "none" }) });
    await user("ada");
    expect((await askForReset("ada@example.com")).status).toBe(202);
    expect(await ports.storage.jobRecords.list({ limit: 10 })).toEqual([]);
  });
});

describe("verification", () => {
  test("is asked for by a sign-up, and a click verifies the address", async () => {
    const { call, work, user, tokenFor, mailsTo } = await scene();
    const ada = await user("ada");
    const verified = async () => (await call("GET", "/users/me", { token: ada.token })).body.verified_email;
    expect(await verified()).toBeNull();
    await work();
    const token = tokenFor("ada@example.com", "verify");
    expect((await call("POST", `/email-verifications/${token}`)).status).toBe(204);
    expect(await verified()).toBe("ada@example.com");
    expect((await call("POST", `/email-verifications/${token}`)).body.code).toBe("not_found");
    expect((await call("POST", "/email-verifications", { token: ada.token })).status).toBe(202);
    await work();
    expect(mailsTo("ada@example.com")).toHaveLength(1);
  });

  test("holds for the address that was verified, and no other", async () => {
    const { call, work, user, tokenFor } = await scene();
    const ada = await user("ada");
    await work();
    const token = tokenFor("ada@example.com", "verify");
    await call("PATCH", "/users/me", { token: ada.token, body: { email: "countess@example.com" } });
    expect((await call("POST", `/email-verifications/${token}`)).body.code).toBe("not_found");
    await call("POST", "/email-verifications", { token: ada.token });
    await work();
    await call("POST", `/email-verifications/${tokenFor("countess@example.com", "verify")}`);
    expect((await call("GET", "/users/me", { token: ada.token })).body.verified_email).toBe("countess@example.com");
    const forged = { verified_email: "eve@example.com" };
    expect((await call("PATCH", "/users/me", { token: ada.token, body: forged })).body.code).toBe("field_read_only");
  });

  test("is needed for a sign-in where the server says so, and only a right password tells", async () => {
    const { call, work, tokenFor, signIn, mailsTo, ports } = await scene({ requireVerified: true });
    const body = { name: "Ada", email: "ada@example.com", password };
    expect((await call("POST", "/users", { body })).status).toBe(201);
    await work();
    await ports.clock.advance(31 * minute);
    expect((await signIn("ada@example.com", "wrong horse battery")).body.code).toBe("invalid_credentials");
    const refused = await signIn("ada@example.com");
    expect([refused.status, refused.body.code]).toEqual([403, "address_unverified"]);
    await work();
    expect(mailsTo("ada@example.com")).toHaveLength(2);
    expect((await call("POST", `/email-verifications/${tokenFor("ada@example.com", "verify")}`)).status).toBe(204);
    expect((await signIn("ada@example.com")).status).toBe(201);
  });
});

describe("an invitation", () => {
  test("makes an account whose owner chooses the password by the link", async () => {
    const { call, admin, work, tokenFor, signIn } = await scene();
    const root = await admin();
    const body = { name: "Bob", email: "bob@example.com", role: "viewer" };
    const made = await call("POST", "/admin/invitations", { token: root.token, body });
    expect([made.status, made.body.role, made.body.verified_email]).toEqual([201, "viewer", null]);
    await work();
    const token = tokenFor("bob@example.com", "invite");
    const accept = () => call("POST", `/invitations/${token}`, { body: { new_password: next } });
    expect((await accept()).status).toBe(204);
    const signedIn = await signIn("bob@example.com", next);
    const me = await call("GET", "/users/me", { token: signedIn.body.access_token });
    expect([me.body.role, me.body.verified_email]).toEqual(["viewer", "bob@example.com"]);
    expect((await accept()).body.code).toBe("not_found");
    expect((await call("POST", "/admin/invitations", { token: root.token, body })).body.code).toBe("conflict");
  });
});

describe("notices", () => {
  test("go to the address of before when address, password, keys or role change", async () => {
    const { call, admin, user, work, sent, ports } = await scene();
    const root = await admin();
    const ada = await user("ada");
    await work();
    const told = async (): Promise<readonly [string, string][]> => {
      const before = sent.length;
      await work();
      return sent
        .slice(before)
        .filter(({ subject }) => subject.includes("was changed"))
        .map(({ to, text }) => [to, text.split("\n", 1)[0] ?? ""]);
    };
    const { token } = ada;
    await call("PATCH", "/users/me", { token, body: { email: "countess@example.com", name: "Countess" } });
    expect(await told()).toEqual([["ada@example.com", expect.stringContaining("The address of your account")]]);
    const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["posts:read"] } });
    expect(await told()).toEqual([["countess@example.com", expect.stringContaining("A new API key")]]);
    await call("DELETE", `/api-keys/${key.body.id}`, { token });
    expect(await told()).toEqual([["countess@example.com", expect.stringContaining("was ended")]]);
    await call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "viewer" } });
    expect(await told()).toEqual([["countess@example.com", "Your role was changed."]]);
    await call("PATCH", "/users/me", { token, body: { name: "Ada" } });
    expect(await told()).toEqual([]);
    const body = { current_password: password, new_password: next };
    expect((await call("PUT", "/users/me/password", { token, body })).status).toBe(204);
    expect(await told()).toEqual([["countess@example.com", expect.stringContaining("The password")]]);
    await ports.clock.advance(6 * minute);
    const late = await call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "user" } });
    expect(late.body.code).toBe("sign_in_too_old");
    const path = `/users/${ada.id}/password`;
    const others = await call("PUT", path, { token: root.token, body: { new_password: password } });
    expect(others.body.code).toBe("sign_in_too_old");
    expect((await call("PUT", path, { token: root.token, body })).status).toBe(204);
  });

  test("of one kind of change are bounded for an address, and the last one says so", async () => {
    const { call, user, work, mailsTo, ports, tokenFor } = await scene({ mailedNotices: 4, mailedLinks: 2 });
    const { token } = await user("ada");
    await work();
    const makeKeys = async (count: number) => {
      for (let made = 0; made < count; made += 1) {
        const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["posts:read"] } });
        expect(key.status).toBe(201);
        await work();
      }
    };
    const told = (about: string) =>
      mailsTo("ada@example.com").flatMap(({ text }) =>
        text.includes(about) ? [text.includes("no further mail")] : [],
      );
    // The address is not confirmed, so it may be a stranger's.
    await makeKeys(5);
    expect(told("A new API key")).toEqual([false, true]);
    const verifying = tokenFor("ada@example.com", "verify");
    expect((await call("POST", `/email-verifications/${verifying}`)).status).toBe(204);
    await makeKeys(5);
    expect(told("A new API key")).toEqual([false, true, false, true]);
    // Nobody hides another change behind them.
    const body = { current_password: password, new_password: next };
    expect((await call("PUT", "/users/me/password", { token, body })).status).toBe(204);
    await work();
    expect(told("The password")).toEqual([false]);
    await ports.clock.advance(30 * minute);
    await work();
    const signedIn = await call("POST", "/sessions", { body: { email: "ada@example.com", password: next } });
    const more = { name: "k", scopes: ["posts:read"] };
    await call("POST", "/api-keys", { token: signedIn.body.access_token, body: more });
    await work();
    expect(told("A new API key")).toHaveLength(5);
  });

  test("are not sent for what was refused", async () => {
    const { call, user, work, sent } = await scene();
    const ada = await user("ada");
    await user("bob");
    await work();
    const before = sent.length;
    const body = { email: "bob@example.com" };
    expect((await call("PATCH", "/users/me", { token: ada.token, body })).body.code).toBe("conflict");
    await work();
    expect(sent.slice(before)).toEqual([]);
  });
});

describe("where addresses are confirmed first", () => {
  const body = (email: string) => ({ name: "Ada", email, password });

  test("a sign-up is answered alike for new and taken addresses, and the link makes the account", async () => {
    const { call, work, tokenFor, signIn, mailsTo } = await scene({ confirmAddresses: true });
    const fresh = await call("POST", "/users", { body: body("Ada@example.com") });
    await work();
    const token = tokenFor("ada@example.com", "sign-up");
    expect((await signIn("ada@example.com")).body.code).toBe("invalid_credentials");
    const made = await call("POST", `/sign-ups/${token}`);
    expect([made.status, made.body.email, made.body.verified_email]).toEqual([
      201,
      "ada@example.com",
      "ada@example.com",
    ]);
    expect((await signIn("ada@example.com")).status).toBe(201);
    expect((await call("POST", `/sign-ups/${token}`)).body.code).toBe("not_found");
    const taken = await call("POST", "/users", { body: body("ada@example.com") });
    expect([taken.status, taken.body, taken.headers]).toEqual([fresh.status, fresh.body, fresh.headers]);
    expect([taken.status, taken.body]).toEqual([202, undefined]);
    await work();
    expect(mailsTo("ada@example.com").at(-1)?.subject).toContain("You have an account");
  });

  test("a change of address waits for its owner, and a taken one is answered alike", async () => {
    const { call, work, tokenFor, mailsTo, signIn } = await scene({ confirmAddresses: true });
    for (const name of ["ada", "bob"]) {
      await call("POST", "/users", { body: body(`${name}@example.com`) });
      await work();
      await call("POST", `/sign-ups/${tokenFor(`${name}@example.com`, "sign-up")}`);
    }
    const { access_token: token } = (await signIn("ada@example.com")).body;
    const change = (given: object) => call("PATCH", "/users/me", { token, body: given });
    const address = async () => (await call("GET", "/users/me", { token })).body;
    const fresh = await change({ email: "countess@example.com", name: "Countess" });
    const taken = await change({ email: "bob@example.com", name: "Countess" });
    expect([taken.status, taken.body]).toEqual([202, undefined]);
    expect(Object.keys(taken.headers)).toEqual(Object.keys(fresh.headers));
    expect(await address()).toMatchObject({ email: "ada@example.com", name: "Countess" });
    await work();
    expect(mailsTo("bob@example.com").at(-1)?.subject).toContain("You have an account");
    const link = tokenFor("countess@example.com", "address");
    expect((await call("POST", `/email-changes/${link}`)).status).toBe(204);
    expect(await address()).toMatchObject({ email: "countess@example.com", verified_email: "countess@example.com" });
    await work();
    expect(mailsTo("ada@example.com").at(-1)?.text).toContain("The address of your account was changed.");
    expect((await call("POST", `/email-changes/${link}`)).body.code).toBe("not_found");
    expect((await change({ name: "Ada" })).status).toBe(200);
    expect((await change({ email: "no address" })).body.code).toBe("validation_failed");
  });
});

describe("mails to an address that others name", () => {
  const body = (email: string) => ({ name: "Ada", email, password });

  test("are five in half an hour for an address that is taken, and more later", async () => {
    const { call, work, mailsTo, tokenFor, ports } = await scene({ confirmAddresses: true });
    await call("POST", "/users", { body: body("ada@example.com") });
    await work();
    await call("POST", `/sign-ups/${tokenFor("ada@example.com", "sign-up")}`);
    const told = () => mailsTo("ada@example.com").filter(({ subject }) => subject.includes("You have an account"));
    for (let asked = 0; asked < 8; asked += 1) {
      expect((await call("POST", "/users", { body: body("ada@example.com") })).status).toBe(202);
      await work();
    }
    expect(told()).toHaveLength(5);
    await ports.clock.advance(30 * minute);
    await call("POST", "/users", { body: body("ada@example.com") });
    await work();
    expect(told()).toHaveLength(6);
  });

  test.each([
    ["are confirmed first", true],
    ["change at once", false],
  ])("are five in half an hour from one account where addresses %s", async (_what, confirmAddresses) => {
    const { call, work, tokenFor, signIn, sent } = await scene({ confirmAddresses, rateLimits: "on" });
    await call("POST", "/users", { body: body("ada@example.com") });
    await work();
    if (confirmAddresses) await call("POST", `/sign-ups/${tokenFor("ada@example.com", "sign-up")}`);
    const { access_token: token } = (await signIn("ada@example.com")).body;
    const change = (given: object) => call("PATCH", "/users/me", { token, body: given });
    const statuses: number[] = [];
    for (let asked = 0; asked < 6; asked += 1) {
      statuses.push((await change({ email: `stranger-${asked}@example.com` })).status);
      await work();
    }
    expect(statuses).toEqual([...Array.from({ length: 5 }, () => (confirmAddresses ? 202 : 200)), 429]);
    expect(new Set(sent.map(({ to }) => to)).has("stranger-5@example.com")).toBe(false);
    const refused = await change({ email: "another@example.com" });
    expect([refused.body.code, refused.headers["retry-after"]]).toEqual(["rate_limited", expect.any(String)]);
    // A change of any other field sends no such mail.
    expect((await change({ name: "Countess" })).status).toBe(200);
  });
});

test("how long links live and how many there are at once are settings, and the mails say them", async () => {
  const { askForReset, tokenFor, setPassword, mailsTo, work, ports, user } = await scene({
    mailedLinkSeconds: 2 * 3_600,
    mailedLinks: 2,
  });
  await user("ada");
  for (let asked = 0; asked < 4; asked += 1) {
    await askForReset("ada@example.com");
    await work();
  }
  const resets = mailsTo("ada@example.com").filter(({ text }) => text.includes("#reset="));
  expect(resets.length).toBe(2);
  expect(resets[0]?.text).toContain("The link works once, for 2 hours.");
  const token = tokenFor("ada@example.com", "reset");
  await ports.clock.advance(2 * 60 * minute - 1_000);
  expect((await setPassword(token)).status).toBe(204);
  await askForReset("ada@example.com");
  await work();
  const later = tokenFor("ada@example.com", "reset");
  await ports.clock.advance(2 * 60 * minute);
  expect((await setPassword(later)).body.code).toBe("not_found");
});

import { describe, expect, test } from "vitest";
import { mailScene, minute, next, password } from "./mail-scene.ts";

describe("verification", () => {
  test("is asked for by a sign-up, and a click verifies the address", async () => {
    const { call, work, user, tokenFor, mailsTo } = await mailScene();
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
    const { call, work, user, tokenFor } = await mailScene();
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
    const { call, work, tokenFor, signIn, mailsTo, ports } = await mailScene({ requireVerified: true });
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
    const { call, admin, work, tokenFor, signIn } = await mailScene();
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
    const { call, admin, user, work, sent, ports } = await mailScene();
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
    const { call, user, work, mailsTo, ports, tokenFor } = await mailScene();
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
    const upTo = (count: number) => Array.from({ length: count }, (_, n) => n === count - 1);
    await makeKeys(7);
    expect(told("A new API key")).toEqual(upTo(5));
    const verifying = tokenFor("ada@example.com", "verify");
    expect((await call("POST", `/email-verifications/${verifying}`)).status).toBe(204);
    await makeKeys(17);
    expect(told("A new API key")).toEqual([...upTo(5), ...upTo(15)]);
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
    expect(told("A new API key")).toHaveLength(21);
  });

  test("are not sent for what was refused", async () => {
    const { call, user, work, sent } = await mailScene();
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

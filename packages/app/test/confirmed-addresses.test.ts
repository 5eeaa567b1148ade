import { describe, expect, test } from "vitest";
import { mailScene, minute, next, password } from "./mail-scene.ts";

describe("where addresses are confirmed first", () => {
  const body = (email: string) => ({ name: "Ada", email, password });

  test("a sign-up is answered alike for new and taken addresses, and the link makes the account", async () => {
    const { call, work, tokenFor, signIn, mailsTo } = await mailScene({ confirmAddresses: true });
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
    const { call, work, tokenFor, mailsTo, signIn } = await mailScene({ confirmAddresses: true });
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

test.each(["a change", "a reset"])(
  "%s of the password ends the mailed links to another address and password",
  async (how) => {
    const api = await mailScene({ confirmAddresses: true });
    const { call, work, tokenFor, signIn, askForReset, setPassword } = api;
    await call("POST", "/users", { body: { name: "Ada", email: "ada@example.com", password } });
    await work();
    await call("POST", `/sign-ups/${tokenFor("ada@example.com", "sign-up")}`);
    const { access_token: token } = (await signIn("ada@example.com")).body;
    expect((await call("PATCH", "/users/me", { token, body: { email: "thief@example.com" } })).status).toBe(202);
    await askForReset("ada@example.com");
    await work();
    const links = { address: tokenFor("thief@example.com", "address"), reset: tokenFor("ada@example.com", "reset") };
    const body = { current_password: password, new_password: next };
    const done = how === "a reset" ? setPassword(links.reset) : call("PUT", "/users/me/password", { token, body });
    expect((await done).status).toBe(204);
    expect((await call("POST", `/email-changes/${links.address}`)).body.code).toBe("not_found");
    expect((await setPassword(links.reset, "yet another horse")).body.code).toBe("not_found");
    const again = await signIn("ada@example.com", next);
    expect(again.body.access_token).toEqual(expect.any(String));
  },
);

describe("mails to an address that others name", () => {
  const body = (email: string) => ({ name: "Ada", email, password });

  test("are five in half an hour for an address that is taken, and more later", async () => {
    const { call, work, mailsTo, tokenFor, ports } = await mailScene({ confirmAddresses: true });
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
    const { call, work, tokenFor, signIn, sent } = await mailScene({ confirmAddresses, rateLimits: "on" });
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

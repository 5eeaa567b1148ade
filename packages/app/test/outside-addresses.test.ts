import { allRows } from "@postern/core";
import type { JwtClaims } from "@postern/core/ports";
import { describe, expect, test } from "vitest";
import type { OutsideIssuer } from "../src/outside/outside-issuer.ts";
import { user } from "../src/resources/user.ts";
import { scene } from "./outside-issuer-scene.ts";

const operator = { kind: "operator", name: "test" } as const;
const trusting: Partial<OutsideIssuer> = { trustAddresses: ["example.com"] };
/** What Entra ID, Auth0 and Okta say of an address: nothing beside it. */
const unproved: JwtClaims = { email_verified: undefined };
const attacker: JwtClaims = { ...unproved, sub: "attacker", name: "Mallory" };

/** A server that sends mail, and the mails to an address. */
const mailing = async (settings: Partial<OutsideIssuer> = trusting, more: object = {}) => {
  const its = scene(settings, { settings: { accountPage: "https://api.example.com/api/account", ...more } });
  const worker = its.app.worker({ name: "only", concurrency: 10 });
  await worker.start();
  const mails = async (address = "eve@example.com") => {
    await worker.runDue();
    await its.ports.clock.advance(0);
    return its.ports.mailer.sent.filter(({ to }) => to === address);
  };
  const linkIn = async (address?: string) => /=(act_\w+)/.exec((await mails(address)).at(-1)?.text ?? "")?.[1] ?? "";
  return { ...its, mails, linkIn };
};

describe("an issuer whose addresses are trusted", () => {
  test("makes an account whose address is not verified here", async () => {
    const { me, token } = scene(trusting);
    const made = await me(token(unproved));
    expect([made.status, made.body.email, made.body.verified_email]).toEqual([200, "eve@example.com", null]);
    expect(JSON.stringify(made.body)).not.toContain("trusted");
    expect((await me(token({ ...unproved, email: "new@example.com" }))).body.id).toBe(made.body.id);
  });

  test.each<readonly [Partial<OutsideIssuer>, string, number]>([
    [{ trustAddresses: "*" }, "eve@anything.example", 200],
    [{ trustAddresses: ["example.org", "example.com"] }, "EVE@Example.COM", 200],
    [{ trustAddresses: ["bücher.example"] }, "eve@xn--bcher-kva.example", 200],
    [trusting, "eve@sub.example.com", 403],
    [trusting, "eve@badexample.com", 403],
    [trusting, "eve@example.com.evil.example", 403],
    [trusting, "eve@example.org", 403],
    [trusting, "no address", 403],
    [{ trustAddresses: "*" }, "eve@displaced.invalid", 403],
    [{}, "eve@example.com", 403],
  ])("with %o the address %s is answered %i", async (settings, email, status) => {
    const { me, token } = scene(settings);
    const answer = await me(token({ ...unproved, email }));
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(answer.body.code).toBe("address_unverified");
      expect(answer.body.detail).toContain("outsideIssuer.trustAddresses");
    }
  });

  test("never links an existing account, however it was made and verified", async () => {
    const { me, token, user: make, verify, app } = scene({ trustAddresses: "*" });
    const eve = await make("eve");
    const refused = async () => {
      const answer = await me(token(attacker));
      expect([answer.status, answer.body.code]).toEqual([409, "account_exists"]);
      expect(answer.body.detail).toContain("postern users link");
    };
    await refused();
    await verify(eve.id, "eve@example.com");
    await refused();
    await app.run({ operation: "users.update", principal: operator, params: { id: eve.id }, body: { role: "admin" } });
    await refused();
    // Nor does one that another token of the issuer made.
    expect((await me(token({ ...attacker, email: "b@example.com" }))).status).toBe(200);
    expect((await me(token({ ...unproved, sub: "other", email: "b@example.com" }))).status).toBe(409);
  });

  test("does not tell whether an address has an account where addresses are secret", async () => {
    const { me, token, app } = scene({ trustAddresses: "*" }, { settings: { confirmAddresses: true } });
    const body = { name: "Eve", email: "eve@example.com", password: "correct horse battery" };
    await app.run({ operation: "users.create", principal: operator, body });
    expect((await me(token(attacker))).body.code).toBe("address_unverified");
  });

  test("makes no account where only administrators make some", async () => {
    const closed = scene(trusting, { settings: { signup: "admin" } });
    expect((await closed.me(closed.token(unproved))).body.code).toBe("forbidden");
  });
});

describe("an address that an attacker claimed first", () => {
  test("goes to the person whose address the issuer verified; the attacker keeps an account without it", async () => {
    const { me, token, ports } = scene(trusting);
    const first = await me(token(attacker));
    const owner = await me(token());
    expect([owner.status, owner.body.email, owner.body.verified_email]).toEqual([
      200,
      "eve@example.com",
      "eve@example.com",
    ]);
    expect(owner.body.id).not.toBe(first.body.id);
    const after = await me(token(attacker));
    expect(after.body).toMatchObject({ id: first.body.id, verified_email: null });
    expect(after.body.email).toBe(`${first.body.id}@displaced.invalid`);
    const [entry] = await ports.storage.audit.list({ limit: 1, action: "outside.lose-address" });
    expect(entry).toMatchObject({
      actor: { kind: "user", id: owner.body.id },
      resourceId: first.body.id,
      fields: ["email"],
    });
    // Afterwards the address is as safe as every other one.
    expect((await me(token({ ...attacker, sub: "attacker-2" }))).status).toBe(409);
    expect((await me(token({ ...attacker, email_verified: true }))).body.id).toBe(first.body.id);
    expect((await me(token())).body.id).toBe(owner.body.id);
  });

  test("gets no password link, and the owner who signs up proves it by mail and gets it", async () => {
    const { me, token, call, mails, linkIn } = await mailing();
    const first = await me(token(attacker));
    const body = { email: "eve@example.com" };
    expect((await call("POST", "/password-resets", { body })).status).toBe(202);
    expect(await mails()).toEqual([]);
    const signUp = { name: "Eve", email: "eve@example.com", password: "nine loud violet kettles" };
    expect((await call("POST", "/users", { body: signUp })).status).toBe(202);
    const link = await linkIn();
    expect((await me(token(attacker))).body.email).toBe("eve@example.com");
    const made = await call("POST", `/sign-ups/${link}`);
    expect([made.status, made.body.email, made.body.verified_email]).toEqual([
      201,
      "eve@example.com",
      "eve@example.com",
    ]);
    expect((await me(token(attacker))).body.email).toBe(`${first.body.id}@displaced.invalid`);
    const signIn = await call("POST", "/sessions", { body: { email: signUp.email, password: signUp.password } });
    expect(signIn.status).toBe(201);
    // The issuer's person with the address is linked to the owner's account, never to the attacker's.
    expect((await me(token())).body.id).toBe(made.body.id);
  });

  test.each([true, false])(
    "goes to the account whose owner changes to it by mail (confirmAddresses: %s)",
    async (confirmAddresses) => {
      const { me, token, call, app, linkIn } = await mailing(trusting, { confirmAddresses });
      const first = await me(token(attacker));
      const body = { name: "Own", email: "own@example.com", password: "correct horse battery" };
      await app.run({ operation: "users.create", principal: operator, body });
      const signedIn = await call("POST", "/sessions", { body: { email: body.email, password: body.password } });
      const own = signedIn.body.access_token;
      const changed = await call("PATCH", "/users/me", { token: own, body: { email: "eve@example.com" } });
      expect(changed.status).toBe(202);
      expect((await me(own)).body.email).toBe("own@example.com");
      expect((await call("POST", `/email-changes/${await linkIn()}`)).status).toBe(204);
      expect((await me(own)).body.verified_email).toBe("eve@example.com");
      expect((await me(token(attacker))).body.email).toBe(`${first.body.id}@displaced.invalid`);
    },
  );

  test("is not given to an invited person together with the attacker's account", async () => {
    const { me, token, admin, call, mails } = await mailing();
    await me(token(attacker));
    const root = await admin();
    const body = { name: "Eve", email: "eve@example.com" };
    const refused = await call("POST", "/admin/invitations", { token: root.token, body });
    expect(refused.body.code).toBe("conflict");
    expect(refused.body.detail).toMatch(/only because an outside issuer named it.*postern users link/);
    expect(await mails()).toEqual([]);
  });

  test("is kept by its account once that account has proved it", async () => {
    for (const prove of ["mail", "issuer"] as const) {
      const { me, token, call, linkIn } = await mailing();
      const first = await me(token(unproved));
      if (prove === "mail") {
        expect((await call("POST", "/email-verifications", { token: token(unproved) })).status).toBe(202);
        expect((await call("POST", `/email-verifications/${await linkIn()}`)).status).toBe(204);
      } else {
        expect((await me(token())).status).toBe(200);
      }
      expect((await me(token(unproved))).body.verified_email).toBe("eve@example.com");
      expect((await me(token({ sub: "other" }))).body.code).toBe("account_exists");
      expect((await me(token(unproved))).body.id).toBe(first.body.id);
    }
  });

  test("is taken once when its owner and others come at the same moment", async () => {
    const { me, token, ports } = scene(trusting);
    await me(token(attacker));
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => me(token())),
      ...Array.from({ length: 3 }, () => me(token({ ...attacker, sub: "late" }))),
      me(token(attacker)),
    ]);
    const owners = answers.slice(0, 6).map(({ status, body }) => `${status} ${body.id}`);
    expect(new Set(owners).size).toBe(1);
    expect(owners[0]).toMatch(/^200 /);
    expect(answers.slice(6, 9).map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(answers[9]?.status).toBe(200);
    const scope = allRows("test");
    const all = await ports.storage.resources.list(user, {
      scope,
      order: [{ field: "id", direction: "asc" }],
      limit: 9,
    });
    expect(all).toHaveLength(2);
  });
});

describe("two first uses at once", () => {
  test("of a token whose address is trusted and one whose address is verified: the proved one has the address", async () => {
    const { me, token } = scene(trusting);
    const answers = await Promise.all([me(token(attacker)), me(token()), me(token(attacker)), me(token())]);
    expect(answers[1]?.status).toBe(200);
    expect(answers[3]?.body.id).toBe(answers[1]?.body.id);
    const owner = await me(token());
    expect(owner.body).toMatchObject({ email: "eve@example.com", verified_email: "eve@example.com" });
    for (const { status, body } of [answers[0], answers[2]].map((one) => ({ status: one?.status, body: one?.body }))) {
      expect([200, 409]).toContain(status);
      expect(body.id).not.toBe(owner.body.id);
    }
  });
});

describe("the address of a token", () => {
  test("counts as verified if the issuer says so with a text", async () => {
    const { me, token } = scene();
    expect((await me(token({ email_verified: "true" }))).body.verified_email).toBe("eve@example.com");
    for (const said of ["True", "yes", "1", 1, ["true"], [true], {}, "false", false, null]) {
      expect((await me(token({ sub: "x", email: "x@example.com", email_verified: said }))).status).toBe(403);
    }
  });

  test("is read from another claim, which has a mark of its own", async () => {
    const its = scene({ emailClaim: "https://example.com/email", ...trusting });
    const said = { "https://example.com/email": "ann@example.com" };
    expect((await its.me(its.token(said))).body).toMatchObject({ email: "ann@example.com", verified_email: null });
    const marked = { "https://example.com/email": "bob@example.com", "https://example.com/email_verified": true };
    expect((await its.me(its.token({ ...marked, sub: "bob" }))).body.verified_email).toBe("bob@example.com");
    const upn = scene({ emailClaim: "upn" });
    const refused = await upn.me(upn.token({ upn: "eve@example.com" }));
    expect(refused.body.code).toBe("address_unverified");
    expect(refused.body.detail).toContain('"upn_verified" is not true');
    expect((await upn.me(upn.token())).body.detail).toContain("outsideIssuer.emailClaim");
  });
});

describe("accounts by subject", () => {
  const bySubject: Partial<OutsideIssuer> = { accounts: "subject" };

  test("have an address that is never mailed and never verified", async () => {
    const { me, token, call, mails, ports } = await mailing(bySubject);
    const made = await me(token({ email: undefined, email_verified: undefined }));
    const { id, email } = made.body;
    expect(made.status).toBe(200);
    expect(email).toMatch(/^[0-9a-f]{64}@id\.example\.com\.invalid$/);
    expect(made.body.verified_email).toBeNull();
    expect((await me(token({ email: undefined }))).body.id).toBe(id);
    await call("POST", "/email-verifications", { token: token({ email: undefined }) });
    await call("POST", "/password-resets", { body: { email } });
    expect(await mails(email)).toEqual([]);
    expect(ports.mailer.sent).toEqual([]);
  });

  test("are made for an address that does not count, and match no account by it", async () => {
    const { me, token, user: make, verify } = scene(bySubject);
    const eve = await make("eve");
    await verify(eve.id, "eve@example.com");
    const made = await me(token(attacker));
    expect([made.status, made.body.id === eve.id]).toEqual([200, false]);
    expect(made.body.email).toContain(".invalid");
    // One that both sides have verified still is.
    expect((await me(token())).body.id).toBe(eve.id);
  });

  test("are not made where only administrators make some", async () => {
    const closed = scene(bySubject, { settings: { signup: "admin" } });
    expect((await closed.me(closed.token({ email: undefined }))).body.code).toBe("forbidden");
  });

  test("are one for many first uses at once", async () => {
    const { me, token } = scene(bySubject);
    const answers = await Promise.all(Array.from({ length: 8 }, () => me(token({ email: undefined }))));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  });
});

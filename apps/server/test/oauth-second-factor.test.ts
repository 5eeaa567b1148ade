import { createHash, randomBytes } from "node:crypto";
import { nodeOneTimeCodes } from "@postern/platform-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlAnswers } from "./database-servers.ts";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

const callback = "https://app.example.com/back";
const password = "correct horse battery";
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The bytes of a secret, as an authenticator app reads it (RFC 4648, section 6). */
const bytesOf = (secret: string): Uint8Array => {
  const bits = [...secret].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
};

const suite = (kind: "SQLite" | "MariaDB") => {
  let nodes: Nodes;
  let client: { id: string; secret: string };
  let recovery: string[];
  let secret: string;

  /** The code that an app with this secret shows, so many steps of 30 seconds from now. */
  const codeOf = (own: string, steps: number) =>
    nodeOneTimeCodes().code(bytesOf(own), Math.floor(Date.now() / 30_000) + steps);

  const api = async (path: string, body: object | undefined, token?: string) => {
    const answer = await fetch(`${nodes.issuer}/api/v2${path}`, {
      method: "POST",
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };

  /**
   * Sets up a second factor and returns its secret and recovery codes. It is confirmed with the
   * code of the previous step, so that the current codes are still unused. A step may end after the
   * code was made and before it is checked. Then a new code is sent.
   */
  const enrol = async (token: string) => {
    const own = String((await api("/users/me/second-factor", undefined, token)).secret);
    const confirm = async () => {
      const confirmed = await api("/users/me/second-factor/confirmation", { code: await codeOf(own, -1) }, token);
      return confirmed.recovery_codes as string[] | undefined;
    };
    const codes = (await confirm()) ?? (await confirm());
    expect(codes).toHaveLength(10);
    return { own, codes: codes ?? [] };
  };

  beforeAll(async () => {
    nodes = await startNodes(kind);
    const scopes = ["posts:read"];
    const made = await nodes.run("admin.clients.create", {
      name: "A <b>client</b>",
      user_id: nodes.ann,
      scopes,
      redirect_uris: [callback],
    });
    client = { id: String(made.id), secret: String(made.secret) };
    const signedIn = await api("/sessions", { email: "ann@example.com", password });
    ({ own: secret, codes: recovery } = await enrol(String(signedIn.access_token)));
  }, 60_000);
  afterAll(() => nodes.close());

  const verifier = randomBytes(32).toString("base64url");
  const link = () =>
    `${nodes.issuer}/oauth/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: client.id,
      redirect_uri: callback,
      state: "s",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    })}`;

  /**
   * A browser that has sent email and password, and the fields of the page that it then got.
   */
  const signIn = async (given = password) => {
    const browser = openBrowser(nodes);
    const fields = browser.fieldsOf((await browser.send(link())).html);
    const shown = await browser.post({ ...fields, email: "ann@example.com", password: given });
    return { browser, shown, fields: browser.fieldsOf(shown.html) };
  };

  test("an account with a second factor is asked for a code on a plain page, and gets its tokens", async () => {
    const { browser, shown, fields } = await signIn();
    expect([shown.answer.status, shown.location, browser.cookie]).toEqual([200, null, ""]);
    expect(shown.html).toContain('name="code" autocomplete="one-time-code"');
    expect(shown.html).toContain("A &lt;b&gt;client&lt;/b&gt;");
    expect(shown.html).not.toMatch(/<script|password/i);
    expect(shown.answer.headers.get("cache-control")).toBe("no-store");
    expect(shown.answer.headers.get("content-security-policy")).toContain(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self';",
    );
    const wrong = await browser.post({ ...fields, code: "000000" });
    expect([wrong.answer.status, wrong.location, browser.cookie]).toEqual([401, null, ""]);
    expect(wrong.html).toContain('<p role="alert">The code is wrong');
    const right = await browser.post({ ...browser.fieldsOf(wrong.html), code: ` ${await codeOf(secret, 0)} ` });
    expect(right.answer.status).toBe(303);
    expect(browser.cookie).toMatch(/^__Host-postern=prt_/);
    const consent = await browser.send(`${nodes.issuer}${right.location}`);
    expect(consent.html).toContain("ann@example.com");
    const decided = await browser.post({ ...browser.fieldsOf(consent.html), decision: "allow" });
    const form = {
      grant_type: "authorization_code",
      client_id: client.id,
      client_secret: client.secret,
      redirect_uri: callback,
      code: new URL(decided.location ?? "").searchParams.get("code") ?? "",
      code_verifier: verifier,
    };
    const answer = await fetch(`${nodes.other}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token } = (await answer.json()) as { access_token: string };
    expect(await nodes.status(access_token, "/posts", nodes.other)).toBe(200);
  });

  test("a code and a recovery code work once, on any page", async () => {
    const first = await signIn();
    const recovered = await first.browser.post({ ...first.fields, code: recovery[0] ?? "" });
    expect(recovered.answer.status).toBe(303);
    const second = await signIn();
    expect((await second.browser.post({ ...second.fields, code: recovery[0] ?? "" })).answer.status).toBe(401);
    // The challenge of the first page was already used.
    const again = await first.browser.post({ ...first.fields, code: recovery[1] ?? "" });
    expect([again.answer.status, again.html.includes('name="password"')]).toEqual([401, true]);
    expect((await second.browser.post({ ...second.fields, code: recovery[1] ?? "" })).answer.status).toBe(303);
  });

  test("a code that is sent ten times at the same moment counts once", async () => {
    const { browser, fields } = await signIn();
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => browser.post({ ...fields, code: recovery[2] ?? "" })),
    );
    expect(tries.filter(({ answer }) => answer.status === 303).length).toBeLessThanOrEqual(1);
    expect(tries.filter(({ answer }) => answer.status >= 500)).toEqual([]);
  });

  test("five wrong codes end the sign-in, and the page starts over", async () => {
    const { browser, fields } = await signIn();
    for (let n = 0; n < 5; n += 1) await browser.post({ ...fields, code: "000000" });
    const over = await browser.post({ ...fields, code: recovery[3] ?? "" });
    expect([over.answer.status, over.location, browser.cookie]).toEqual([401, null, ""]);
    expect(over.html).toContain('name="password"');
    expect(over.html).toContain("sign in again");
  });

  test("a page with another user's challenge accepts only that user's code, and never signs in its sender", async () => {
    const mallory = { name: "Mallory", email: `mallory-${kind}@example.com`.toLowerCase(), password };
    await nodes.run("users.create", mallory);
    const { access_token: token } = await api("/sessions", { email: mallory.email, password });
    const { own } = await enrol(String(token));
    const ann = await signIn();
    const browser = openBrowser(nodes);
    const fields = browser.fieldsOf((await browser.send(link())).html);
    const shown = await browser.post({ ...fields, email: mallory.email, password });
    const hers = browser.fieldsOf(shown.html);
    const swapped = await browser.post({ ...hers, challenge: ann.fields.challenge ?? "", code: await codeOf(own, 0) });
    expect([swapped.answer.status, swapped.location, browser.cookie]).toEqual([401, null, ""]);
    const back = await ann.browser.post({ ...ann.fields, challenge: hers.challenge ?? "", code: recovery[4] ?? "" });
    expect([back.answer.status, ann.browser.cookie]).toEqual([401, ""]);
    // Both codes still work on their own pages.
    expect((await browser.post({ ...hers, code: await codeOf(own, 0) })).answer.status).toBe(303);
    expect((await ann.browser.post({ ...ann.fields, code: recovery[4] ?? "" })).answer.status).toBe(303);
    const consent = await browser.send(link());
    expect([consent.html.includes(mallory.email), consent.html.includes("ann@example.com")]).toEqual([true, false]);
  });

  test("a code without the password has no effect, and neither has a form of another site", async () => {
    const { shown } = await signIn("wrong");
    expect(shown.html).toContain('name="password"');
    expect(shown.html).not.toContain('name="code"');
    const { browser, fields } = await signIn();
    for (const challenge of ["", "x", `${fields.challenge}x`, "x".repeat(5_000)]) {
      const tried = await browser.post({ ...fields, challenge, code: recovery[3] ?? "" });
      expect([tried.answer.status, tried.location, browser.cookie]).toEqual([401, null, ""]);
    }
    const forged = await browser.post({ ...fields, code: recovery[3] ?? "" }, { origin: "https://evil.example.com" });
    expect([forged.answer.status, browser.cookie]).toEqual([400, ""]);
    expect((await browser.post({ ...fields, code: recovery[3] ?? "" })).answer.status).toBe(303);
  });

  test("the audit log says what happened, and no page or entry shows a code", async () => {
    const entries = await nodes.storage.audit.list({ action: "oauth.sign-in", limit: 100 });
    expect(new Set(entries.map(({ result }) => result))).toEqual(
      new Set(["done", "mfa_required", "invalid_credentials", "invalid_token"]),
    );
    for (const code of recovery) expect(JSON.stringify(entries)).not.toContain(code);
  });
};

describe("the second factor on the page of OAuth on SQLite", () => suite("SQLite"));
describe.skipIf(!mysqlAnswers)("the second factor on the page of OAuth on MariaDB", () => suite("MariaDB"));

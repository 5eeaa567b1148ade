import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { nodeOneTimeCodes } from "@postern/platform-node";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { readConfig, startServer } from "../src/index.ts";
import { terminalMailer } from "../src/mail.ts";
import { mysqlAnswers, mysqlDatabase } from "./database-servers.ts";
import { eventually, temporaryDirectory } from "./server-process.ts";

const password = "correct horse battery";
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A real mail server, and the mails that it has accepted, as text. */
const mailServer = async () => {
  const taken: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: (stream, _session, done) => {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        taken.push(Buffer.concat(pieces).toString("utf8").replaceAll("=\r\n", "").replaceAll("=3D", "="));
        done();
      });
    },
  });
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  closing.push(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  return { url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`, taken };
};

const freshMysql = async (): Promise<string> => {
  const database = mysqlDatabase();
  await database.create();
  closing.push(database.drop);
  return database.url;
};

const environment = (directory: string, more: Record<string, string>) => ({
  PORT: "0",
  LOG_LEVEL: "error",
  DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
  POSTERN_SECRET_KEY: Buffer.alloc(32, 9).toString("base64"),
  POSTERN_PUBLIC_URL: "https://api.example.com",
  POSTERN_MAIL_FROM: "Postern <no-reply@example.com>",
  ...more,
});

const post = (url: string, body: unknown) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const ada = { name: "Ada", email: "ada@example.com", password };
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * The code that an authenticator app shows for a secret in base 32, so many steps from now (RFC
 * 6238).
 */
const codeOf = (secret: string, steps = 0): Promise<string> => {
  const bits = [...secret].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  const bytes = Uint8Array.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  return nodeOneTimeCodes().code(bytes, Math.floor(Date.now() / 30_000) + steps);
};

describe.each(["SQLite", "MariaDB"])("mail and second factors of accounts, over HTTP with %s", (database) => {
  /** A running server, and the tokens in the links of its mails. */
  const scene = async (skip: () => void, variables: Record<string, string> = {}) => {
    const mails = await mailServer();
    if (database !== "SQLite" && !mysqlAnswers) skip();
    const url = database === "SQLite" ? undefined : await freshMysql();
    const more = { POSTERN_SMTP_URL: mails.url, ...variables, ...(url === undefined ? {} : { DATABASE_URL: url }) };
    const server = await startServer(readConfig(environment(temporaryDirectory(), more), false), {});
    closing.push(() => server.stop());
    const linkIn = (purpose: string) =>
      mails.taken.flatMap(
        (mail) => new RegExp(`https://api\\.example\\.com/api/account#${purpose}=(act_\\w+)`).exec(mail)?.[1] ?? [],
      )[0];
    return { api: `${server.url}/api`, mails, linkIn };
  };
  const json = async (answer: Response) => (await answer.json()) as Record<string, string>;
  const signIn = async (api: string, given = password) =>
    post(`${api}/sessions`, { email: ada.email, password: given });

  test("a sign-up succeeds only with the mailed link, and has the same answer for an address that is taken", async ({
    skip,
  }) => {
    const { api, mails, linkIn } = await scene(skip, { POSTERN_SIGNUP_CONFIRM: "on" });
    const first = await post(`${api}/users`, ada);
    expect([first.status, await first.text()]).toEqual([202, ""]);
    expect((await signIn(api)).status).toBe(401);
    await eventually(async () => linkIn("sign-up") !== undefined);
    const link = `${api}/sign-ups/${linkIn("sign-up")}`;
    const tries = await Promise.all([1, 2, 3].map(() => fetch(link, { method: "POST" })));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([201, 404, 404]);
    const { access_token: token } = await json(await signIn(api));
    const me = await json(await fetch(`${api}/users/me`, { headers: { authorization: `Bearer ${token}` } }));
    expect([me.email, me.verified_email]).toEqual([ada.email, ada.email]);
    const again = await post(`${api}/users`, { ...ada, password: "another horse staple" });
    expect([again.status, await again.text()]).toEqual([202, ""]);
    await eventually(async () => mails.taken.length === 2);
    expect(mails.taken.filter((mail) => mail.includes("#sign-up="))).toHaveLength(1);
    expect((await signIn(api, "another horse staple")).status).toBe(401);
  });

  test("a second factor can be set up and ended, and each of its codes is good once", async ({ skip }) => {
    const { api } = await scene(skip, { POSTERN_RATE_LIMIT: "off" });
    expect((await post(`${api}/users`, ada)).status).toBe(201);
    const { access_token: first } = await json(await signIn(api));
    const as = (token: string | undefined, method: string, path: string, body?: unknown) =>
      fetch(`${api}/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(method === "DELETE" ? { "if-match": "*" } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const { secret = "" } = await json(await as(first, "POST", "/users/me/second-factor", {}));
    const confirmation = "/users/me/second-factor/confirmation";
    const wrong = String((Number(await codeOf(secret)) + 1) % 1_000_000).padStart(6, "0");
    expect((await as(first, "POST", confirmation, { code: wrong })).status).toBe(401);
    const confirmed = await as(first, "POST", confirmation, { code: await codeOf(secret, -1) });
    const { recovery_codes = [] } = (await confirmed.json()) as { recovery_codes?: readonly string[] };
    expect([confirmed.status, recovery_codes.length]).toEqual([200, 10]);

    const challenge = async (): Promise<string | undefined> => {
      const asked = await signIn(api);
      const problem = await json(asked);
      expect([asked.status, problem.code]).toEqual([401, "mfa_required"]);
      return problem.challenge;
    };
    const finish = async (code: string | undefined) =>
      post(`${api}/sessions/mfa`, { challenge: await challenge(), code });
    const code = await codeOf(secret, 1);
    // Each try has a challenge of its own, and all run at the same moment.
    const challenges = [await challenge(), await challenge()];
    const rivals = await Promise.all(challenges.map((one) => post(`${api}/sessions/mfa`, { challenge: one, code })));
    expect(rivals.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expect((await finish(code)).status).toBe(401);
    expect((await finish(recovery_codes[0])).status).toBe(201);
    expect((await finish(recovery_codes[0])).status).toBe(401);
    const { access_token: last } = await json(await finish(recovery_codes[1]));
    expect((await as(last, "DELETE", "/users/me/second-factor")).status).toBe(204);
    expect((await signIn(api)).status).toBe(201);
  });

  test("resets a password with a link from a real mail server", async ({ skip }) => {
    const { api, mails, linkIn } = await scene(skip);
    expect((await post(`${api}/users`, ada)).status).toBe(201);
    const asked = [await post(`${api}/password-resets`, { email: ada.email })];
    asked.push(await post(`${api}/password-resets`, { email: "nobody@example.com" }));
    expect(asked.map(({ status }) => status)).toEqual([202, 202]);
    await eventually(async () => linkIn("reset") !== undefined && linkIn("verify") !== undefined);
    expect(mails.taken.join("\n")).not.toContain("nobody@");
    const new_password = "another horse staple";
    expect((await post(`${api}/password-resets/${linkIn("reset")}`, { new_password })).status).toBe(204);
    expect((await post(`${api}/password-resets/${linkIn("reset")}`, { new_password })).status).toBe(404);
    expect((await post(`${api}/sessions`, { email: ada.email, password })).status).toBe(401);
    expect((await post(`${api}/sessions`, { email: ada.email, password: new_password })).status).toBe(201);
    const page = await fetch(`${api}/account`);
    expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
    expect(await page.text()).toContain('src="/api/assets/account.js"');
  });
});

describe("the configuration of mail", () => {
  const read = (more: Record<string, string>, isTerminal = false) =>
    readConfig({ POSTERN_CONFIG: "none", ...more }, isTerminal);

  test.each([
    [{ POSTERN_SMTP_URL: "smtp://mail:25", POSTERN_MAIL_FROM: "a@b.example" }, "POSTERN_PUBLIC_URL"],
    [{ POSTERN_SMTP_URL: "smtp://mail:25", POSTERN_PUBLIC_URL: "https://a.example" }, "POSTERN_MAIL_FROM go together"],
    [{ POSTERN_SMTP_URL: "http://mail" }, "POSTERN_SMTP_URL must be smtp://"],
    [{ POSTERN_MAIL_FROM: "postern" }, "POSTERN_MAIL_FROM must be an address"],
    [{ POSTERN_SIGNUP_CONFIRM: "on" }, "POSTERN_SIGNUP_CONFIRM=on needs POSTERN_SMTP_URL"],
    [{ POSTERN_REQUIRE_VERIFIED: "on" }, "POSTERN_REQUIRE_VERIFIED=on needs POSTERN_SMTP_URL"],
  ])("%o does not start", (given, sentence) => {
    expect(() => read({ ...given })).toThrow(sentence);
  });

  test("shows mails only on a terminal of the same machine", async () => {
    expect(read({}, true).showsMail).toBe(true);
    expect(read({ HOST: "0.0.0.0" }, true).showsMail).toBe(false);
    expect(read({}, false).showsMail).toBe(false);
    const shown: string[] = [];
    const mailer = terminalMailer((text) => shown.push(text));
    expect(await mailer.send({ to: "a@b.example", subject: "S", text: "the link", id: "1" })).toBe("taken");
    expect(shown.join("")).toContain("the link");
  });
});

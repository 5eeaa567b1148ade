import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createConnection } from "mysql2/promise";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { readConfig, startServer } from "../src/index.ts";
import { terminalMailer } from "../src/mail.ts";
import { eventually, temporaryDirectory } from "./server-process.ts";

const mysql = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";
const password = "correct horse battery";
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A real mail server; what it has taken, as text. */
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

const freshMysql = async (): Promise<string | undefined> => {
  const connection = await createConnection(mysql).catch((thrown: unknown) => {
    if (process.env.POSTERN_REQUIRE_DATABASES === "1") throw thrown;
    return undefined;
  });
  if (connection === undefined) return undefined;
  const name = `postern_mail_${process.pid}_${Date.now()}`;
  await connection.query(`CREATE DATABASE ${name}`);
  closing.push(async () => {
    await connection.query(`DROP DATABASE ${name}`);
    await connection.end();
  });
  return `${mysql}/${name}`;
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

describe.each(["SQLite", "MariaDB"])("mail about accounts, over HTTP with %s", (database) => {
  test("resets a password with a link from a real mail server", async ({ skip }) => {
    const mails = await mailServer();
    const url = database === "SQLite" ? undefined : await freshMysql();
    if (database !== "SQLite" && url === undefined) skip();
    const more = { POSTERN_SMTP_URL: mails.url, ...(url === undefined ? {} : { DATABASE_URL: url }) };
    const server = await startServer(readConfig(environment(temporaryDirectory(), more), false), {});
    closing.push(() => server.stop());
    const api = `${server.url}/api`;
    const ada = { name: "Ada", email: "ada@example.com", password };
    expect((await post(`${api}/users`, ada)).status).toBe(201);
    const asked = [await post(`${api}/password-resets`, { email: ada.email })];
    asked.push(await post(`${api}/password-resets`, { email: "nobody@example.com" }));
    expect(asked.map(({ status }) => status)).toEqual([202, 202]);
    const linkIn = (purpose: string) =>
      mails.taken.flatMap(
        (mail) => new RegExp(`https://api\\.example\\.com/api/account#${purpose}=(act_\\w+)`).exec(mail)?.[1] ?? [],
      )[0];
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

  test("shows mails on a terminal of the same machine, and nowhere else", async () => {
    expect(read({}, true).showsMail).toBe(true);
    expect(read({ HOST: "0.0.0.0" }, true).showsMail).toBe(false);
    expect(read({}, false).showsMail).toBe(false);
    const shown: string[] = [];
    const mailer = terminalMailer((text) => shown.push(text));
    expect(await mailer.send({ to: "a@b.example", subject: "S", text: "the link", id: "1" })).toBe("taken");
    expect(shown.join("")).toContain("the link");
  });
});

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { mailerContract, type ReceivedMail } from "@postern/core/testing";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, test } from "vitest";
import { smtpMailer } from "../src/index.ts";
import { keeps } from "./keeps.ts";

const from = "Postern <no-reply@postern.example>";
const mail = { to: "ada@example.com", subject: "Hello", text: "Hello\n", id: "mail-1" };
const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const decodedWord = (text: string): string =>
  text.replaceAll(/\?=\s+=\?/g, "?==?").replaceAll(/(?:=\?utf-8\?([QB])\?([^?]*)\?=)+/gi, (words) => {
    const bytes = [...words.matchAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi)].map(([, kind = "", coded = ""]) =>
      kind.toUpperCase() === "B" ? Buffer.from(coded, "base64") : quotedPrintable(coded.replaceAll("_", " ")),
    );
    return Buffer.concat(bytes).toString("utf8");
  });

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );

/** A message as any mail program reads it (RFC 2045, RFC 2047). */
const read = (raw: string): Omit<ReceivedMail, "to"> & { readonly headers: ReadonlyMap<string, string> } => {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = raw.slice(end + 4);
  const coding = headers.get("content-transfer-encoding") ?? "7bit";
  const bytes =
    coding === "base64"
      ? Buffer.from(body, "base64")
      : coding === "quoted-printable"
        ? quotedPrintable(body)
        : Buffer.from(body);
  const text = bytes.toString("utf8").replaceAll("\r\n", "\n").replace(/\n+$/, "\n");
  return {
    subject: decodedWord(headers.get("subject") ?? ""),
    text,
    messageId: headers.get("message-id") ?? "",
    headers,
  };
};

/** A real mail server in this process. */
const mailServer = async (options: SMTPServerOptions = {}) => {
  const received: ReceivedMail[] = [];
  const kinds: (string | undefined)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onRcptTo: ({ address }, _session, done) => {
      const code = address.startsWith("nobody@") ? 550 : address.startsWith("later@") ? 451 : 0;
      done(code === 0 ? null : Object.assign(new Error("not now"), { responseCode: code }));
    },
    onData: (stream, { envelope }, done) => {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(", ");
        const { subject, text, messageId, headers } = read(Buffer.concat(pieces).toString("latin1"));
        received.push({ to, subject, text, messageId });
        kinds.push(headers.get("auto-submitted"));
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  closing.push(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  return { port: (listener.address() as AddressInfo).port, received: () => received, kinds };
};

keeps("smtpMailer", mailerContract, async () => {
  const { port, received } = await mailServer();
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, from });
  return { mailer, received, refused: "nobody@example.com" };
});

describe("smtpMailer", () => {
  const failure = { code: "upstream_unreachable", message: "The mail server did not take a mail." };

  test("says to try again when nobody listens, and when the server says so", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await expect(smtpMailer({ url: `smtp://127.0.0.1:${port}`, from }).send(mail)).rejects.toMatchObject(failure);
    const busy = await mailServer();
    const mailer = smtpMailer({ url: `smtp://127.0.0.1:${busy.port}`, from });
    await expect(mailer.send({ ...mail, to: "later@example.com" })).rejects.toMatchObject(failure);
  });

  test("tells programs that answer mails not to answer this one", async () => {
    const { port, kinds } = await mailServer();
    await smtpMailer({ url: `smtp://127.0.0.1:${port}`, from }).send(mail);
    expect(kinds).toEqual(["auto-generated"]);
  });

  test("gives up on a server that says nothing", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    closing.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, from, timeoutMs: 50 });
    await expect(mailer.send(mail)).rejects.toMatchObject(failure);
  });

  test("signs in as the URL says, and a wrong password is no refusal of the mail", async () => {
    const onAuth: SMTPServerOptions["onAuth"] = ({ username, password }, _session, done) =>
      password === "p@ss/word" ? done(null, { user: username }) : done(new Error("wrong"));
    const { port, received } = await mailServer({ authOptional: false, onAuth });
    const at = (password: string) => smtpMailer({ url: `smtp://postern:${password}@127.0.0.1:${port}`, from });
    expect(await at("p%40ss%2Fword").send(mail)).toBe("taken");
    expect(received()).toHaveLength(1);
    await expect(at("wrong").send(mail)).rejects.toMatchObject(failure);
  });

  test("sends nothing to a server elsewhere without TLS", async () => {
    const { port, received } = await mailServer();
    // 0.0.0.0 leads to this machine, but is not known as such.
    const mailer = smtpMailer({ url: `smtp://0.0.0.0:${port}`, from });
    await expect(mailer.send(mail)).rejects.toMatchObject(failure);
    expect(received()).toEqual([]);
    expect(await smtpMailer({ url: `smtp://0.0.0.0:${port}?requireTLS=false`, from }).send(mail)).toBe("taken");
  });

  test("refuses URLs and senders that cannot work", () => {
    for (const url of ["http://mail.example", "smtp://", "mail.example:25"]) {
      expect(() => smtpMailer({ url, from })).toThrow(TypeError);
    }
    expect(() => smtpMailer({ url: "smtp://mail.example", from: "Postern" })).toThrow(TypeError);
  });
});

import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Account, Attack, Stage } from "../attack.ts";
import { send } from "../send.ts";
import { githubSecret } from "../server.ts";

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

/** The mail server takes every mail at once at first, so that a mailbox would get very many. */
const quickMs = 1_500;
/** Later it takes this long for each. Real ones do so, for example while they check it. */
const slowMs = 4_000;
/** Notices of one kind that an address gets in half an hour, if nobody has verified it. */
const mostNotices = 5;
/** The same bound holds for links of one kind. */
const mostMails = 4 * mostNotices;
/** A webhook is worked on when it arrives, if a slot is free. */
const mostWaitMs = 2_000;

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return address.port;
};

/** A mail server (RFC 5321), as far as one mail needs it. */
const mailServerOf = (mails: Map<string, number>, takesMs: () => number): Server =>
  createServer((socket) => {
    let receiver = "";
    let text = "";
    let isMail = false;
    const answer = (line: string): void => void (socket.writable && socket.write(`${line}\r\n`));
    const take = (line: string): void => {
      if (isMail) {
        if (line !== ".") return;
        isMail = false;
        mails.set(receiver, (mails.get(receiver) ?? 0) + 1);
        setTimeout(answer, takesMs(), "250 taken");
      } else if (/^RCPT TO:/i.test(line)) {
        receiver = /<([^>]*)>/.exec(line)?.[1] ?? "";
        answer("250 ok");
      } else if (/^DATA/i.test(line)) {
        isMail = true;
        answer("354 go on");
      } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
      else answer("250 ok");
    };
    socket.setEncoding("utf8").on("error", () => undefined);
    socket.on("data", (piece: string) => {
      text += piece;
      const lines = text.split("\r\n");
      text = lines.pop() ?? "";
      for (const line of lines) take(line);
    });
    answer("220 siege");
  });

/** The mail server, and the service that webhooks are forwarded to. */
const openStage = async (): Promise<Stage> => {
  const mails = new Map<string, number>();
  const waits: number[] = [];
  const sockets = new Set<Socket>();
  let takesMs = 0;
  const mailServer = mailServerOf(mails, () => takesMs);
  const service = createHttpServer((request, response) => {
    if (request.url === "/seen") {
      response.end(JSON.stringify({ mails: Object.fromEntries(mails), waits }));
      return;
    }
    if (request.url === "/slow") takesMs = slowMs;
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      const [, at] = /"at":(\d+)/.exec(body) ?? [];
      if (at !== undefined) waits.push(Date.now() - Number(at));
      response.end();
    });
  });
  for (const server of [mailServer, service]) server.on("connection", (socket: Socket) => sockets.add(socket));
  const [mailPort, servicePort] = [await portOf(mailServer), await portOf(service)];
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  return {
    environment: {
      POSTERN_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      POSTERN_MAIL_FROM: "siege@example.com",
      POSTERN_PUBLIC_URL: "https://siege.example.com",
      SERVICE: serviceUrl,
    },
    props: { service: serviceUrl },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      mailServer.close();
      service.close();
    },
  };
};

interface Seen {
  /** Mails by their receiver. */
  readonly mails: Readonly<Record<string, number>>;
  /** Milliseconds from each webhook to its forwarding. */
  readonly waits: readonly number[];
}

/**
 * Mails that strangers and users can cause, as fast as they can. No mailbox may be filled. When the
 * mail server becomes slow, webhooks must still be worked on.
 */
export const mailFlood: Attack = {
  name: "mail-flood",
  does: "8 users make and end API keys and everybody asks for new passwords; the mail server becomes slow",
  requirement: "R9, R29",
  seconds: 8,
  accounts: 8,
  configuration: `const to = { url: process.env.SERVICE, secret: "${secret}", allowPrivate: true };
export default { routes: [{ provider: "github", type: "siege", to }] };
`,
  stage: openStage,
  run: async ({ port, accounts, props, isOver, pause }) => {
    let sent = 0;
    const changes = async ({ authorization, address: from }: Account): Promise<void> => {
      const headers = { authorization };
      const body = JSON.stringify({ name: "siege", scopes: ["posts:read"] });
      while (!isOver()) {
        const made = await send({ port, from, method: "POST", path: "/api/v2/api-keys", headers, body });
        if (made.status !== 201) await pause(100);
        else {
          const { id }: { id: string } = JSON.parse(made.text);
          await send({ port, from, method: "DELETE", path: `/api/v2/api-keys/${id}`, headers });
        }
      }
    };
    const resets = async ({ address: from }: Account, n: number): Promise<void> => {
      await pause(quickMs);
      for (let turn = 0; !isOver(); turn += 1) {
        const body = JSON.stringify({ email: `attacker-${(n + turn) % accounts.length}@example.com` });
        const { status } = await send({ port, from, method: "POST", path: "/api/v2/password-resets", body });
        if (status !== 202) await pause(500);
      }
    };
    const webhooks = async (): Promise<void> => {
      for (; !isOver(); await pause(200)) {
        const body = JSON.stringify({ at: Date.now() });
        const digest = createHmac("sha256", githubSecret).update(body).digest("hex");
        const headers = {
          "x-hub-signature-256": `sha256=${digest}`,
          "x-github-delivery": randomUUID(),
          "x-github-event": "siege",
        };
        const { status } = await send({
          port,
          from: "127.0.0.102",
          method: "POST",
          path: "/api/webhooks/github",
          headers,
          body,
        });
        if (status === 200) sent += 1;
      }
    };
    const slowDown = async (): Promise<void> => {
      await pause(quickMs);
      await fetch(`${props.service}/slow`);
    };
    await Promise.all([slowDown(), webhooks(), ...accounts.map(changes), ...accounts.map(resets)]);
    const { mails, waits }: Seen = JSON.parse(await (await fetch(`${props.service}/seen`)).text());
    const counts = Object.values(mails);
    const [all, most, longest] = [counts.reduce((a, b) => a + b, 0), Math.max(0, ...counts), Math.max(0, ...waits)];
    // The last ones may still be on their way.
    const late = sent - waits.length > 2 || longest > mostWaitMs;
    const faults = [
      ...(most > mostMails ? [`one address got ${most} mails`] : []),
      ...(late ? [`of ${sent} webhooks ${waits.length} were forwarded, the slowest after ${longest} ms`] : []),
    ];
    return {
      saw: `${all} mails, at most ${most} to one address; ${waits.length} of ${sent} webhooks forwarded, the slowest after ${longest} ms`,
      fault: faults.length === 0 ? undefined : faults.join(", "),
    };
  },
};

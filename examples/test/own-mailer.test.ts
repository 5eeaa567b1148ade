import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { mailerContract, type ReceivedMail } from "@postern/core/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { httpMailer } from "../own-mailer/http-mailer.ts";

const refused = "nobody@example.com";
const received: ReceivedMail[] = [];
let status = 200;
/** A mail service, in this process. */
const service = createServer(async (request, response) => {
  const { to, subject, text, message_id: messageId } = Object(await json(request));
  const answer = to === refused ? 422 : status;
  if (answer === 200) received.push({ to, subject, text, messageId });
  response.writeHead(answer).end();
});
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${Object(service.address()).port}/mails`;
});
afterAll(() => service.close());
beforeEach(() => {
  received.length = 0;
  status = 200;
});

const mailer = () => httpMailer({ url, token: "secret", from: "no-reply@example.com" });

describe("httpMailer keeps the contract of mailers", () => {
  for (const [promise, keep] of Object.entries(mailerContract)) {
    test(promise, () => keep({ mailer: mailer(), received: () => received, refused }));
  }
});

test("a service that is down is asked again later", async () => {
  status = 503;
  const mail = { to: "ada@example.com", subject: "Hello", text: "Hello\n", id: "mail-1" };
  await expect(mailer().send(mail)).rejects.toMatchObject({ code: "upstream_unreachable" });
});

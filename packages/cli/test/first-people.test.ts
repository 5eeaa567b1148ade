import { beforeEach, expect, test } from "vitest";
import { create, postern, serve } from "./command-line.ts";

beforeEach(async () => void (await postern(["migrate"])));

const secretIn = (text: string): string => /\/console\/#\/setup\/(act_\S+)/.exec(text)?.[1] ?? "";

test("setup-link prints a link, and a new one each time, until there is an administrator", async () => {
  const first = await postern(["setup-link", "--url", "https://hooks.example.com/postern/"]);
  expect(first).toMatchObject({ code: 0 });
  expect(first.out).toMatch(/^https:\/\/hooks\.example\.com\/postern\/console\/#\/setup\/act_[0-9A-Za-z_]+\n$/);
  const second = await postern(["setup-link", "--json"], { variables: { POSTERN_PUBLIC_URL: "https://a.example" } });
  const { link } = JSON.parse(second.out);
  expect(link).toMatch(/^https:\/\/a\.example\/console\/#\/setup\//);
  expect(secretIn(link)).not.toBe(secretIn(first.out));
  await create("ada@example.com", "--role", "admin");
  const late = await postern(["setup-link"]);
  expect(late).toMatchObject({ code: 9, out: "" });
  expect(late.err).toContain("There is an administrator already");
});

test("without the console there is no link to it", async () => {
  const refused = await postern(["setup-link"], { variables: { POSTERN_CONSOLE: "off" } });
  expect(refused).toMatchObject({ code: 9, out: "" });
  expect(refused.err).toContain("postern users create");
});

test("the running server takes the link of the command line", async () => {
  const server = await serve();
  try {
    const { out } = await postern(["setup-link"]);
    const body = new URLSearchParams({
      secret: secretIn(out),
      name: "Ada",
      email: "ada@example.com",
      password: "correct horse battery",
    });
    const { app } = server.composition;
    // A clone whose console is not built serves no page, and so takes no link.
    if (!app.rooted.some(({ path }) => path === "/console/setup")) return;
    const headers = { origin: server.url ?? "", "sec-fetch-site": "same-origin" };
    expect((await fetch(`${server.url}/console/setup`, { method: "POST", headers, body })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test("users invite prints a link to copy where no mail server is set", async () => {
  const variables = { POSTERN_PUBLIC_URL: "https://a.example" };
  const line = ["users", "invite", "--name", "Grace", "--email", "grace@example.com", "--role", "operator"];
  const invited = await postern(line, { variables });
  expect(invited).toMatchObject({ code: 0 });
  expect(invited.out).toMatch(/^https:\/\/a\.example\/api\/account#invite=act_\S+\n$/);
  expect(invited.err).toContain("No mail goes out from here, so give them this link");
  const local = await postern(["users", "invite", "--name", "Bob", "--email", "bob@example.com", "--json"]);
  expect(JSON.parse(local.out)).toMatchObject({
    email: "bob@example.com",
    link: expect.stringMatching(/^http:\/\/[^/]+\/api\/account#invite=act_/),
  });
});

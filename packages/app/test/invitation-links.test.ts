import { memoryMailer } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const accountPage = "https://api.example.com/api/account";
const someone = { name: "Grace", email: "Grace@Example.com", role: "operator" };
const day = 24 * 3_600_000;

const invite = async (target: "none" | "terminal" | "server", settings = {}) => {
  const mailer = memoryMailer({ target });
  const api = testApi({ settings }, { mailer });
  const root = await api.admin();
  const { status, body } = await api.call("POST", "/admin/invitations", { token: root.token, body: someone });
  expect(status).toBe(201);
  const [, token = ""] = /#invite=(.+)$/.exec(body.link ?? "") ?? [];
  const accept = (password: string) => api.call("POST", `/invitations/${token}`, { body: { new_password: password } });
  return { ...api, root, body, accept, mailer };
};

describe.each(["none", "terminal"] as const)("where mails go to %s", (target) => {
  test("the answer to an invitation has the link, which works once and proves no address", async () => {
    const { call, body, accept, root } = await invite(target, { accountPage });
    expect(body).toMatchObject({ email: "grace@example.com", role: "operator" });
    expect(body.link).toMatch(/^https:\/\/api\.example\.com\/api\/account#invite=act_/);
    expect((await accept("correct horse battery")).status).toBe(204);
    expect((await accept("another horse battery")).body.code).toBe("not_found");
    const credentials = { email: someone.email, password: "correct horse battery" };
    expect((await call("POST", "/sessions", { body: credentials })).status).toBe(201);
    const read = await call("GET", `/users/${body.id}`, { token: root.token });
    expect(read.body.verified_email).toBeNull();
  });
});

test("a server that does not know its address gives a path below its own root", async () => {
  const { body } = await invite("none");
  expect(body.link).toMatch(/^\/api\/account#invite=act_/);
});

test("the link works for seven days", async () => {
  const { ports, accept } = await invite("none");
  await ports.clock.advance(7 * day - 1_000);
  expect((await accept("correct horse battery")).status).toBe(204);
  const late = await invite("none");
  await late.ports.clock.advance(7 * day);
  expect((await late.accept("correct horse battery")).body.code).toBe("not_found");
});

test("where mails reach people, the answer has no link", async () => {
  const { body } = await invite("server", { accountPage });
  expect(body.link).toBeNull();
});

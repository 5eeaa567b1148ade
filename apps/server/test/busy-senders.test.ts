import { join } from "node:path";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { describe, expect, test } from "vitest";
import { type Burst, sendBurst, type Wish } from "../../../benchmarks/overload/burst.ts";
import { compose, readConfig } from "../src/index.ts";
import { startProcess, temporaryDirectory } from "./server-process.ts";

const isLong = process.env.POSTERN_TEST_LONG === "1";
const secret = "the secret of a busy sender";
const connections = 600;
const users = 300;
const requestsEach = isLong ? 10 : 4;

/** One address may be that of a large sender, of a proxy that nobody declared, or of a whole company. */
const callers = (isLong ? [1, 10, 50] : [1, 50]).flatMap((count) =>
  (["agent", "fetch"] as const).map((by) => ({
    by,
    addresses: Array.from({ length: count }, (_, n) => `127.0.0.${n + 2}`),
  })),
);

const variablesFor = (directory: string) => ({
  DATABASE_URL: `sqlite:${join(directory, "postern.db")}`,
  POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  WEBHOOK_GITHUB_SECRET: secret,
});

/** The keys of so many users. Only the first password is hashed, because that takes long. */
const keysOfUsers = async (variables: Record<string, string>): Promise<readonly string[]> => {
  const { app, ports, migrate, close } = await compose(readConfig({ ...variables, LOG_LEVEL: "error" }, false), {});
  await migrate();
  const hash = await ports.passwordHasher.hash("correct horse battery");
  Object.assign(ports.passwordHasher, { hash: async () => hash });
  const run = async (operation: string, body: object): Promise<Record<string, string>> => {
    const principal = { kind: "operator", name: "test" } as const;
    return (await app.run({ operation, principal, body, params: {} })).body as Record<string, string>;
  };
  const keys: string[] = [];
  for (let n = 0; n < users; n += 1) {
    const password = "correct horse battery";
    const { id } = await run("users.create", { name: `User ${n}`, email: `user-${n}@example.com`, password });
    const { key = "" } = await run("api-keys.create", { name: "phone", scopes: ["users:read"], user_id: id });
    keys.push(key);
  }
  await close();
  return keys;
};

/** The answers to bursts by each kind of caller, one after the other. */
const answersOf = async (url: string | undefined, wish: Burst["wish"]) => {
  const port = Number(new URL(url ?? "").port);
  const answers: object[] = [];
  for (const caller of callers) {
    const statuses = await sendBurst({ port, connections, requestsEach, wish, ...caller });
    answers.push({ by: caller.by, addresses: caller.addresses.length, ...Object.fromEntries(statuses) });
  }
  return answers;
};

const allAnswered = callers.map(({ by, addresses }) => ({
  by,
  addresses: addresses.length,
  200: connections * requestsEach,
}));

describe("with the settings as shipped, 600 connections at once are answered, from however few addresses", () => {
  test("which bring webhooks", { timeout: 180_000 }, async () => {
    const directory = temporaryDirectory();
    const { url } = await startProcess(directory, variablesFor(directory));
    const padding = "x".repeat(900);
    const wishes: Wish[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const { headers, body } = await signRequest(github, {
        keys: secret,
        body: JSON.stringify({ n, padding }),
        type: "push",
      });
      wishes.push({ method: "POST", path: "/api/webhooks/github", headers, body: Buffer.from(body).toString() });
    }
    let next = 0;
    const wish = (): Wish => {
      next += 1;
      const { headers, ...rest } = wishes[next % wishes.length] as Wish;
      return { ...rest, headers: { ...headers, "x-github-delivery": `delivery-${next}` } };
    };
    expect(await answersOf(url, wish)).toEqual(allAnswered);
  });

  test("on which users read their accounts", { timeout: 180_000 }, async () => {
    const directory = temporaryDirectory();
    const variables = variablesFor(directory);
    const keys = await keysOfUsers(variables);
    const { url } = await startProcess(directory, variables);
    const wish = (connection: number): Wish => ({
      method: "GET",
      path: "/api/v2/users/me",
      headers: { authorization: `Bearer ${keys[connection % users]}` },
    });
    expect(await answersOf(url, wish)).toEqual(allAnswered);
  });
});

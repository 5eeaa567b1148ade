import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type RunningServer, readConfig, startServer } from "../src/index.ts";
import { temporaryDirectory } from "./server-process.ts";

const password = "correct horse battery";
let server: RunningServer | undefined;
afterEach(() => server?.stop());

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${server?.url}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const timed = async (send: () => Promise<Response>): Promise<number> => {
  const started = performance.now();
  await (await send()).arrayBuffer();
  return performance.now() - started;
};

const pairs = 9;
const rounds = 4;

/**
 * Checks that two requests take equally long: their medians differ by at most a quarter or 4 ms.
 * They take turns, so that a slow machine slows both. Noise can spoil a round, but a real
 * difference spoils every round.
 */
const takeAsLong = async (one: (n: number) => Promise<Response>, other: (n: number) => Promise<Response>) => {
  const seen: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const times: [number[], number[]] = [[], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      const n = round * pairs + pair;
      times[0].push(await timed(() => one(n)));
      times[1].push(await timed(() => other(n)));
    }
    const [known, unknown] = [median(times[0]), median(times[1])];
    seen.push(`${known.toFixed(1)} and ${unknown.toFixed(1)} ms`);
    const difference = Math.abs(known - unknown);
    if (difference <= 4 || difference <= Math.max(known, unknown) / 4) return;
  }
  expect.fail(`the answers take different times: ${seen.join("; ")}`);
};

test("a sign-in, a reset and a sign-up take as long for addresses with an account as for others", async () => {
  const environment = {
    PORT: "0",
    LOG_LEVEL: "error",
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), "postern.db")}`,
    POSTERN_ROLE: "http",
    POSTERN_RATE_LIMIT: "off",
    POSTERN_PUBLIC_URL: "https://api.example.com",
    POSTERN_SMTP_URL: "smtp://127.0.0.1:9",
    POSTERN_MAIL_FROM: "no-reply@example.com",
  };
  server = await startServer(readConfig(environment, false), {});
  const ada = { name: "Ada", email: "ada@example.com", password };
  expect((await post("/users", ada)).status).toBe(201);
  await server.stop();
  server = await startServer(readConfig({ ...environment, POSTERN_SIGNUP_CONFIRM: "on" }, false), {});
  const signIn = (email: string) => post("/sessions", { email, password: "wrong horse battery" });
  expect((await signIn(ada.email)).status).toBe(401);
  await takeAsLong(
    () => signIn(ada.email),
    (n) => signIn(`nobody${n}@example.com`),
  );
  const reset = (email: string) => post("/password-resets", { email });
  expect((await reset(ada.email)).status).toBe(202);
  await takeAsLong(
    () => reset(ada.email),
    () => reset("nobody@example.com"),
  );
  const signUp = (email: string) => post("/users", { ...ada, email });
  expect((await signUp(ada.email)).status).toBe(202);
  await takeAsLong(
    () => signUp(ada.email),
    () => signUp("nobody@example.com"),
  );
});

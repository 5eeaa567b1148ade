import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createHttpServer } from "@postern/http/node";
import { parseItem, parseList } from "structured-headers";
import { expect, test } from "vitest";

interface Exchange {
  readonly request: string;
  readonly sent?: object;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Removes what differs from one run to the next, or belongs to the connection and not to the
 * answer.
 */
const passing = new Set(["date", "connection", "keep-alive"]);

/**
 * A day with v1. It is the same each time, because time, ids and secrets come from ports that begin
 * at the same place.
 */
const recordDay = async (): Promise<readonly Exchange[]> => {
  const server = createHttpServer(createApp({ versions: builtInVersions, ports: memoryPorts() }), {
    requestId: () => "request-of-the-day",
  });
  const { url } = await server.listen();
  const exchanges: Exchange[] = [];
  let token: string | undefined;
  const send = async (method: string, path: string, sent?: object) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    const body = await answer.text();
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => !passing.has(name)));
    exchanges.push({
      request: `${method} ${path}`,
      ...(sent === undefined ? {} : { sent }),
      status: answer.status,
      headers,
      body,
    });
    return body === "" ? undefined : JSON.parse(body);
  };
  try {
    const credentials = { email: "ada@example.com", password: "correct horse battery" };
    const { id } = await send("POST", "/users", { name: "Ada", ...credentials });
    ({ access_token: token } = await send("POST", "/sessions", credentials));
    await send("GET", "/users/me");
    await send("GET", "/users/me?fields=subscription_status");
    await send("PATCH", "/users/me", { phone: "+44", subscription_status: "active" });
    const post = await send("POST", `/users/${id}/posts`, { title: "T", content: "text" });
    await send("PUT", `/posts/${post.id}`, { title: "T", content: "new", status: "published" });
    await send("PATCH", `/posts/${post.id}`, { content: null });
    await send("POST", `/posts/${post.id}/comments`, { content: "remark" });
    await send("POST", `/posts/${post.id}/comments`, { body: "remark" });
    await send("GET", `/users/${id}/posts?limit=1&total=true&sort=-title&fields=title,content`);
    await send("GET", `/posts/${post.id}?include=author,comments&fields[users]=name,subscription_status`);
    await send("GET", `/posts/${post.id}?fields=body`);
    await send("GET", "/posts/nothing");
    await send("DELETE", `/posts/${post.id}`);
    await send("DELETE", "/sessions/current");
    await send("GET", "/users/me");
  } finally {
    await server.close({ graceMs: 0 });
  }
  return exchanges;
};

test("v1 answers as it was recorded, byte for byte", async () => {
  await expect(`${JSON.stringify(await recordDay(), null, 2)}\n`).toMatchFileSnapshot("../contracts/v1/exchanges.json");
});

test("every structured field of every answer is valid", async () => {
  const exchanges = await recordDay();
  const values = (name: string): readonly string[] => exchanges.flatMap(({ headers }) => headers[name] ?? []);
  for (const name of ["ratelimit", "ratelimit-policy"]) {
    expect(values(name).length).toBeGreaterThan(0);
    for (const value of values(name)) expect(parseList(value).length).toBeGreaterThan(0);
  }
  expect(values("deprecation").length).toBeGreaterThan(3);
  for (const value of values("deprecation")) expect(parseItem(value)[0]).toBeInstanceOf(Date);
  for (const value of values("sunset")) expect(new Date(value).toUTCString()).toBe(value);
});

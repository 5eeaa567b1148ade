import { memoryPorts } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { threeVersions } from "../third-version/app.ts";

describe("an application with a third version", () => {
  let server: HttpServer;
  let origin: string;
  let token: string | undefined;

  beforeEach(async () => {
    token = undefined;
    server = createHttpServer(threeVersions(memoryPorts()));
    ({ url: origin } = await server.listen());
    const credentials = { email: "ada@example.com", password: "correct horse battery" };
    await send("POST", "/api/v3/users", { name: "Ada", ...credentials });
    token = (await send("POST", "/api/v3/sessions", credentials)).body.access_token;
  });
  afterEach(() => server.close({ graceMs: 0 }));

  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(origin + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "PATCH" ? { "if-match": "*" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads members of answers whose shape it asserts
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };

  test("has paths and names of its own in each of them", async () => {
    const made = await send("POST", "/api/v2/users/me/memos", { memo: "Oil the mill.", priority: "high" });
    expect(made.body).toMatchObject({ memo: "Oil the mill.", color: "plain", priority: "normal" });
    expect(made.headers.get("location")).toBe(`/api/v2/memos/${made.body.id}`);
    const newest = await send("GET", `/api/v3/notes/${made.body.id}`);
    expect(newest.body).toMatchObject({ text: "Oil the mill.", colour: "plain" });
    expect(newest.body).not.toHaveProperty("priority");
    expect((await send("GET", `/api/v2/memos/${made.body.id}?fields=memo`)).body).toEqual({ memo: "Oil the mill." });
    expect((await send("PATCH", `/api/v1/memos/${made.body.id}`, { color: "yellow" })).body.color).toBe("yellow");
    expect((await send("GET", "/api/v1/users/me/memos?filter[color]=yellow")).body).toHaveLength(1);
    expect((await send("GET", "/api/v3/users/me/notes?filter[colour]=yellow")).body.data).toHaveLength(1);
  });

  test("does not know the paths, names and values of the others", async () => {
    expect((await send("GET", "/api/v2/users/me/notes")).status).toBe(404);
    expect((await send("GET", "/api/v3/users/me/memos")).status).toBe(404);
    const refused = await send("POST", "/api/v2/users/me/memos", { text: "x" });
    expect(refused.body.errors).toContainEqual(expect.objectContaining({ pointer: "/text", code: "unknown_field" }));
    expect(refused.body.errors).toContainEqual(expect.objectContaining({ pointer: "/memo", code: "required" }));
    const priority = await send("POST", "/api/v1/users/me/memos", { memo: "x", priority: "urgent" });
    expect(priority.body.errors[0].pointer).toBe("/priority");
    expect((await send("GET", "/api/v2/users/me/memos?filter[colour]=plain")).body.errors[0].parameter).toBe(
      "filter[colour]",
    );
  });

  test("still serves the first two as they were", async () => {
    const post = await send("POST", "/api/v1/users/me/posts", { title: "T", content: "text" });
    expect(post.body.content).toBe("text");
    expect((await send("GET", `/api/v3/posts/${post.body.id}`)).body.body).toBe("text");
  });

  test("shows the change in its change log and its documents", async () => {
    const { body } = await send("GET", "/api/changelog?version=v3");
    const told = body.data.map(({ kind, from, to }: Record<string, unknown>) => `${kind} ${from} → ${to}`);
    expect(told).toEqual(
      expect.arrayContaining([
        "renamed GET /memos/{id} → GET /notes/{id}",
        "renamed note.memo → note.text",
        expect.stringContaining("removed"),
      ]),
    );
    expect((await send("GET", "/api/v2/openapi.json")).body.paths).toHaveProperty("/memos/{id}");
    expect((await send("GET", "/api/v3/openapi.json")).body.paths).toHaveProperty("/notes/{id}");
  });
});

import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { fetchHandler } from "@postern/http/fetch";
import { writtenOut } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
type Document = any;

const operator = { kind: "operator", name: "test" } as const;

/** Examples with a secret that only a reader has: a token from an answer or a mail. */
const needSecrets = new Set([
  "sessions.refresh",
  "password-resets.finish",
  "invitations.accept",
  "addresses.confirm",
  "sign-ups.confirm",
  "sessions.finish",
  "second-factors.confirm",
]);

describe.each(["v1", "v2"])("the examples of %s", (version) => {
  test("work as they are", async () => {
    const app = createApp({ versions: builtInVersions, ports: memoryPorts(), settings: { rateLimits: "off" } });
    const handle = fetchHandler(app);
    const document: Document = writtenOut(app.openApi(version));
    const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const init = { method, headers: { "content-type": "application/json", ...headers } };
      const request = new Request(`http://test/api/${version}${path}`, {
        ...init,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const response = await handle(request);
      const text = await response.text();
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
    };
    const exampleOf = (operationId: string) => {
      for (const methods of Object.values<Document>(document.paths)) {
        for (const operation of Object.values<Document>(methods)) {
          if (operation.operationId === operationId)
            return Object.values<Document>(operation.requestBody.content)[0].example;
        }
      }
    };
    // The first steps of a reader: sign up, sign in.
    const signedUp = await send("POST", "/users", exampleOf("users.create"));
    expect(signedUp.status, JSON.stringify(signedUp.body)).toBe(201);
    const signedIn = async (credentials: unknown) => {
      const { status, body } = await send("POST", "/sessions", credentials);
      expect(status).toBe(201);
      return { authorization: `Bearer ${body.access_token}` };
    };
    const credential = await signedIn(exampleOf("sessions.create"));
    const root = { email: "root@example.com", password: "correct horse battery" };
    const { id } = (await send("POST", "/users", { name: "Root", ...root })).body;
    await app.run({ operation: "users.update", principal: operator, params: { id }, body: { role: "admin" } });
    const asAdmin = await signedIn(root);
    const post = await send("POST", "/users/me/posts", exampleOf("posts.create"), credential);
    const comment = await send("POST", `/posts/${post.body.id}/comments`, exampleOf("comments.create"), credential);
    const ids: Record<string, string> = { "/posts/": post.body.id, "/comments/": comment.body.id };

    const wrong: string[] = [];
    const done: string[] = [];
    for (const [path, methods] of Object.entries<Document>(document.paths)) {
      for (const [method, operation] of Object.entries<Document>(methods)) {
        const [type, media] = Object.entries<Document>(operation.requestBody?.content ?? {})[0] ?? [];
        const id = operation.operationId;
        if (
          media?.example === undefined ||
          needSecrets.has(id) ||
          id === "users.create" ||
          id === "users.change-password"
        )
          continue;
        let target = path;
        for (const { in: place, name, schema } of operation.parameters) {
          if (place !== "path") continue;
          const known = Object.entries(ids).find(([start]) => path.startsWith(start))?.[1];
          target = target.replace(`{${name}}`, known ?? schema.examples[0]);
        }
        const headers = {
          ...(path.startsWith("/admin/") ? asAdmin : credential),
          "if-match": "*",
          "content-type": String(type),
        };
        // Only the reader knows this value: the account that a client acts for.
        const sent = "user_id" in media.example ? { ...media.example, user_id: signedUp.body.id } : media.example;
        const { status, body } = await send(method.toUpperCase(), target, sent, headers);
        if (status < 300) done.push(id);
        // The things that the path names need not exist.
        else if (status !== 404)
          wrong.push(`${id} ${status} ${JSON.stringify(body?.detail)} ${JSON.stringify(media.example)}`);
      }
    }
    const changed = await send("PUT", "/users/me/password", exampleOf("users.change-password"), credential);
    expect({ wrong, changed: changed.status }).toEqual({ wrong: [], changed: 204 });
    expect(done).toEqual(
      expect.arrayContaining([
        "users.update",
        "users.replace",
        "posts.replace",
        "posts.update",
        "comments.replace",
        "api-keys.create",
        "admin.providers.create",
        "admin.clients.create",
      ]),
    );
  });
});

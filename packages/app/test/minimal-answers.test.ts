import { expect, test } from "vitest";
import { documentOf, testApi } from "./api.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
type Document = any;

/** `testApi` holds each answer against the document. */
test.each(["v1", "v2"])(
  "in %s, each operation that takes `return=minimal` answers it as it declares",
  async (version) => {
    const { call, user, app } = testApi({ settings: { rateLimits: "off" } });
    const { id, token } = await user("ada");
    const document: Document = await documentOf(call, version);
    const text = version === "v1" ? { content: "Text" } : { body: "Text" };
    const post = await call("POST", "/posts", { token, version, body: { title: "T", ...text } });
    const comment = await call("POST", `/posts/${post.body.id}/comments`, { token, version, body: text });
    const rows: Readonly<Record<string, string>> = { users: id, posts: post.body.id, comments: comment.body.id };
    const headers = { prefer: "return=minimal", "if-match": "*" };
    const asked: string[] = [];
    for (const [path, methods] of Object.entries<Document>(document.paths)) {
      for (const [method, { operationId, parameters, requestBody, responses }] of Object.entries<Document>(methods)) {
        if (!parameters.some(({ name }: Document) => name === "Prefer")) continue;
        const [type, media] = Object.entries<Document>(requestBody.content)[0] ?? [];
        const target = path.replace("{id}", rows[path.split("/")[1] ?? ""] ?? "");
        // An address belongs to one account, and a post to somebody.
        const own = { email: `${operationId}@example.com`, user_id: id };
        const body = Object.fromEntries(
          Object.entries<unknown>({ ...media.example }).map(([name, value]) => [name, own[name as "email"] ?? value]),
        );
        const sent = { token, version, body, headers: { ...headers, "content-type": type ?? "" } };
        const answer = await call(method.toUpperCase() as "POST", target, sent);
        expect([operationId, answer.status, answer.body]).toEqual([operationId, 204, undefined]);
        expect(answer.headers["preference-applied"]).toBe("return=minimal");
        if (responses[201] !== undefined && method === "post") expect(answer.headers.location).toMatch(/^\/api\/v/);
        asked.push(operationId);
      }
    }
    const minimal = app.versions.at(-1)?.operations.filter((one) => one.minimal === true) ?? [];
    expect(asked.toSorted()).toEqual(minimal.map((one) => one.id).toSorted());
    expect(asked.length).toBeGreaterThan(8);
  },
);

import { describe, expect, test } from "vitest";
import { testApi } from "../api.ts";

const scene = async () => {
  const api = testApi();
  const root = await api.admin();
  const ada = await api.user("ada");
  const v1 = (method: Parameters<typeof api.call>[0], target: string, body?: unknown, token = ada.token) =>
    api.call(method, target, { token, version: "v1", ...(body === undefined ? {} : { body }) });
  const v2 = (method: Parameters<typeof api.call>[0], target: string, body?: unknown, token = ada.token) =>
    api.call(method, target, { token, ...(body === undefined ? {} : { body }) });
  const { body: post } = await v1("POST", "/users/me/posts", { title: "T", content: "text" });
  return { ...api, root, ada, v1, v2, post, path: `/posts/${post.id}` };
};

describe("v1 of posts", () => {
  test("calls the text content, in what it takes and in what it answers", async () => {
    const { v1, v2, post, path } = await scene();
    expect(post).toMatchObject({ title: "T", content: "text" });
    expect(post).not.toHaveProperty("body");
    expect((await v2("GET", path)).body).toMatchObject({ body: "text" });
    expect((await v1("PUT", path, { title: "T", content: "new" })).body.content).toBe("new");
    expect((await v1("PATCH", path, { content: "newer" })).body.content).toBe("newer");
    expect((await v1("GET", "/users/me/posts")).body).toEqual([expect.objectContaining({ content: "newer" })]);
  });

  test("keeps the order of members", async () => {
    const { v1, v2, path } = await scene();
    const older = Object.keys((await v1("GET", path)).body);
    expect(older).toEqual(
      Object.keys((await v2("GET", path)).body).map((name) => (name === "body" ? "content" : name)),
    );
  });

  test("selects by its own names, and knows no others", async () => {
    const { v1, path } = await scene();
    expect((await v1("GET", `${path}?fields=content`)).body).toEqual({ content: "text" });
    const { status, body } = await v1("GET", `${path}?fields=id,body`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_fields" });
    expect(body.detail).toContain('no field "body"');
    expect(body.detail).toContain("content");
    expect(body.errors).toEqual([
      { parameter: "fields", code: "unknown_field", detail: 'no field "body"; did you mean "content"?' },
    ]);
  });

  test.each([
    ["POST", { title: "T", body: "text" }],
    ["PUT", { title: "T", content: "text", body: "text" }],
    ["PATCH", { body: "text" }],
  ] as const)("refuses v2's name in a %s", async (method, given) => {
    const { v1, path } = await scene();
    const { status, body } = await v1(method, method === "POST" ? "/users/me/posts" : path, given);
    expect(status).toBe(400);
    expect(body.errors).toContainEqual({ pointer: "/body", code: "unknown_field", detail: "no such field" });
  });

  test("points at its own names when a value is wrong or missing", async () => {
    const { v1, path } = await scene();
    const missing = (await v1("POST", "/users/me/posts", { title: "T" })).body;
    expect(missing.errors).toEqual([{ pointer: "/content", code: "required", detail: "this is required" }]);
    expect(missing.detail).toBe("content: this is required.");
    expect((await v1("PATCH", path, { content: "" })).body.errors[0].pointer).toBe("/content");
    expect((await v1("PATCH", path, { content: null })).body.errors[0].pointer).toBe("/content");
  });

  test("pages through with cursors of either version", async () => {
    const { v1, v2 } = await scene();
    await v1("POST", "/users/me/posts", { title: "U", content: "second" });
    const first = await v2("GET", "/users/me/posts?limit=1");
    const second = await v1("GET", `/users/me/posts?limit=1&cursor=${first.body.page.next_cursor}`);
    expect(second.body).toEqual([expect.objectContaining({ content: "second" })]);
  });
});

describe("what is included in v1", () => {
  test("has v1's names, however it is reached, and is selected by them", async () => {
    const { v1, path } = await scene();
    await v1("PATCH", path, { status: "published" });
    await v1("POST", `${path}/comments`, { content: "remark" });
    const whole = (await v1("GET", `${path}?include=author,comments`)).body;
    expect(whole).toMatchObject({ content: "text", author: { subscription_status: "none" } });
    expect(whole.comments.data).toEqual([expect.objectContaining({ content: "remark" })]);
    expect(JSON.stringify(whole)).not.toMatch(/"body"|"subscription"/);
    const query = "include=author,comments&fields=title&fields[users]=subscription_status&fields[comments]=content";
    expect((await v1("GET", `${path}?${query}`)).body).toEqual({
      title: "T",
      author: { subscription_status: "none" },
      comments: expect.objectContaining({ data: [{ content: "remark" }] }),
    });
    const [comment] = (await v1("GET", `${path}/comments?include=post`)).body;
    expect(comment).toMatchObject({ content: "remark", post: { content: "text" } });
    const refused = (await v1("GET", `${path}?include=comments&fields[comments]=body`)).body;
    expect(refused.errors).toEqual([
      { parameter: "fields[comments]", code: "unknown_field", detail: 'no field "body"; did you mean "content"?' },
    ]);
    expect(refused.detail).toContain("content");
  });

  test("is counted in a header where a list has no room for it", async () => {
    const { v1 } = await scene();
    const { body, headers } = await v1("GET", "/users/me/posts?total=true");
    expect(body).toHaveLength(1);
    expect(headers["x-total-count"]).toBe("1");
  });
});

describe("v1 of users", () => {
  test("has the subscription's status alone, and what it writes it reads back", async () => {
    const { v1, v2, root, ada, ports } = await scene();
    const path = `/users/${ada.id}`;
    expect((await v1("GET", path)).body.subscription_status).toBe("none");
    await ports.clock.advance(1000);
    const patched = await v1("PATCH", path, { subscription_status: "active" }, root.token);
    expect(patched.body.subscription_status).toBe("active");
    expect(patched.body).not.toHaveProperty("subscription");
    const { subscription } = (await v2("GET", path)).body;
    expect(subscription).toEqual({ status: "active", since: patched.body.updated_at });
    expect((await v1("GET", `${path}?fields=subscription_status`)).body).toEqual({ subscription_status: "active" });
  });

  test("leaves the start of the subscription alone when the status stays", async () => {
    const { v1, v2, root, ada, ports } = await scene();
    const path = `/users/${ada.id}`;
    await v1("PATCH", path, { subscription_status: "trialing" }, root.token);
    const { since } = (await v2("GET", path)).body.subscription;
    await ports.clock.advance(60_000);
    const { body: read } = await v1("GET", path);
    expect((await v1("PUT", path, { ...read, name: "Ada L" }, root.token)).status).toBe(200);
    await v1("PATCH", path, { name: "Ada M" });
    await v1("PATCH", path, { subscription_status: "trialing", name: "Ada N" }, root.token);
    expect((await v2("GET", path)).body).toMatchObject({ name: "Ada N", subscription: { status: "trialing", since } });
  });

  test("takes back what it answered from who cannot write the status", async () => {
    const { v1, ada } = await scene();
    const path = `/users/${ada.id}`;
    const { body: read } = await v1("GET", path);
    expect((await v1("PUT", path, { ...read, name: "Ada L" })).status).toBe(200);
    const refused = (await v1("PUT", path, { ...read, subscription_status: "active" })).body;
    expect(refused).toMatchObject({ code: "field_read_only", detail: 'You cannot set "subscription_status".' });
    expect(refused.errors[0].pointer).toBe("/subscription_status");
  });

  test.each([5, null, "nonsense", { status: "active" }])(
    "refuses the status %j with a pointer to it",
    async (value) => {
      const { v1, root, ada } = await scene();
      const { status, body } = await v1("PATCH", `/users/${ada.id}`, { subscription_status: value }, root.token);
      expect(status).toBe(400);
      expect(body.errors[0].pointer).toBe("/subscription_status");
      expect(JSON.stringify(body)).not.toMatch(/subscription(?!_status)/);
    },
  );
});

describe("an error in v1", () => {
  test("has its own names where names stand in quotes, and the prose as it is", async () => {
    const { v1, path } = await scene();
    const asked = "x; it has body, only by body. You cannot set body";
    const refused = (await v1("GET", `${path}?fields=${encodeURIComponent(asked)}`)).body;
    expect(refused.code).toBe("invalid_fields");
    // What the caller wrote is repeated as they wrote it, and the names behind it are those of v1.
    expect(refused.detail).toContain("it has body");
    expect(refused.detail).toMatch(/it has "id", .*"content"/);
    expect(refused.detail).not.toContain('"body"');
    const sorted = (await v1("GET", `/users/me/posts?sort=${encodeURIComponent('a "title" body')}`)).body;
    expect(sorted.detail).toContain('cannot be sorted by "a "title" body", only by "id", "title"');
  });
});

describe("v2 of users", () => {
  test("sets the start of a subscription itself", async () => {
    const { v2, root, ada, ports } = await scene();
    const path = `/users/${ada.id}`;
    await ports.clock.advance(1000);
    const active = await v2("PATCH", path, { subscription: { status: "active" } }, root.token);
    expect(active.body.subscription).toEqual({ status: "active", since: active.body.updated_at });
    await ports.clock.advance(1000);
    const put = await v2("PUT", path, { ...active.body, name: "A" }, root.token);
    expect(put.body.subscription).toEqual(active.body.subscription);
    const forged = { subscription: { status: "active", since: "2020-01-01T00:00:00.000Z" } };
    const { body } = await v2("PATCH", path, forged, root.token);
    expect(body).toMatchObject({ code: "field_read_only", errors: [{ pointer: "/subscription/since" }] });
  });
});

describe("an answer that cannot be given in the older version", () => {
  test("is a counted 500 and shows nothing of the newer one", async () => {
    const { v1, path, ports } = await scene();
    const { resources } = ports.storage;
    const find = resources.find.bind(resources);
    resources.find = async (...given) => {
      const row = await find(...given);
      return row === undefined || given[0].name !== "post" ? row : { ...row, body: 5 };
    };
    const { status, body } = await v1("GET", path);
    expect({ status, code: body.code }).toEqual({ status: 500, code: "internal_error" });
    expect(ports.telemetry.counted("api_conversions_failed_total", { version: "v1", operation: "posts.read" })).toBe(1);
  });
});

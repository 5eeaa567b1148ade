import { describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

const draft = { title: "Hello", body: "World" };

const scene = async () => {
  const api = testApi();
  const ada = await api.user("ada");
  const bob = await api.user("bob");
  const post = async (changes: object = {}): Promise<string> => {
    const made = await api.call("POST", `/users/${ada.id}/posts`, { token: ada.token, body: { ...draft, ...changes } });
    expect(made.status).toBe(201);
    return made.body.id;
  };
  return { ...api, ada, bob, post };
};

const statusOf = async (reply: ReturnType<Api["call"]>): Promise<number> => (await reply).status;

describe("posts", () => {
  test("are drafts at first, owned by the user whose collection they are in", async () => {
    const { call, ada } = await scene();
    const { body, headers } = await call("POST", "/users/me/posts", { token: ada.token, body: draft });
    expect(body).toMatchObject({ ...draft, user_id: ada.id, status: "draft", published_at: null });
    expect(headers.location).toBe(`/api/v2/posts/${body.id}`);
  });

  test("are created for the caller at /posts, in both versions, and for others by who may", async () => {
    const { call, ada, bob, admin } = await scene();
    const root = await admin();
    const create = (token: string, body: object, version = "v2") => call("POST", "/posts", { token, body, version });
    const made = await create(ada.token, draft);
    expect(made).toMatchObject({ status: 201, body: { ...draft, user_id: ada.id, status: "draft" } });
    expect(made.headers.location).toBe(`/api/v2/posts/${made.body.id}`);
    const older = await create(ada.token, { title: "Hello", content: "World" }, "v1");
    expect(older).toMatchObject({ status: 201, body: { content: "World", user_id: ada.id } });
    expect(await create(ada.token, { ...draft, user_id: ada.id })).toMatchObject({ status: 201 });
    expect(await create(ada.token, { ...draft, user_id: bob.id })).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: "/user_id", code: "not_found" }] },
    });
    expect(await create(root.token, { ...draft, user_id: bob.id })).toMatchObject({
      status: 201,
      body: { user_id: bob.id },
    });
    expect((await create(ada.token, { ...draft, id: made.body.id })).body.errors).toMatchObject([
      { pointer: "/id", code: "field_read_only" },
    ]);
  });

  test("are seen by others once they are published, and changed by their owner only", async () => {
    const { call, ada, bob, post } = await scene();
    const id = await post();
    const whole = { ...draft, status: "draft" };
    expect(await statusOf(call("GET", `/posts/${id}`, { token: bob.token }))).toBe(404);
    expect(await statusOf(call("PUT", `/posts/${id}`, { token: bob.token, body: whole }))).toBe(404);
    expect(await statusOf(call("DELETE", `/posts/${id}`, { token: bob.token }))).toBe(404);
    await call("PATCH", `/posts/${id}`, { token: ada.token, body: { status: "published" } });
    expect(await statusOf(call("GET", `/posts/${id}`, { token: bob.token }))).toBe(200);
    expect(
      await statusOf(call("PUT", `/posts/${id}`, { token: bob.token, body: { ...whole, status: "published" } })),
    ).toBe(403);
    expect(await statusOf(call("DELETE", `/posts/${id}`, { token: bob.token }))).toBe(403);
    expect(await statusOf(call("DELETE", `/posts/${id}`, { token: ada.token }))).toBe(204);
  });

  test("do not have their owner read again, whom authentication has just read", async () => {
    const { call, ada, bob, post, ports } = await scene();
    const { resources } = ports.storage;
    const { find } = { ...resources };
    const read: unknown[] = [];
    Object.assign(resources, {
      find: (...asked: Parameters<typeof find>) => {
        if (asked[3]?.join() === "id") read.push(asked[1]);
        return find(...asked);
      },
    });
    await post();
    expect((await call("GET", `/users/${ada.id}/posts`, { token: ada.token })).body.data).toHaveLength(1);
    expect(read).toEqual([]);
    expect(await statusOf(call("GET", `/users/${ada.id}/posts`, { token: bob.token }))).toBe(404);
    expect(read).toEqual([ada.id]);
  });

  test("cannot be put into another user's collection", async () => {
    const { call, ada, bob } = await scene();
    expect(await statusOf(call("POST", `/users/${ada.id}/posts`, { token: bob.token, body: draft }))).toBe(404);
  });

  test("note when they were first published, and go no way back", async () => {
    const { call, ada, post, ports } = await scene();
    const id = await post();
    await ports.clock.advance(1000);
    const patch = (status: string) => call("PATCH", `/posts/${id}`, { token: ada.token, body: { status } });
    expect((await patch("archived")).body.code).toBe("state_conflict");
    const published = await patch("published");
    expect(published.body.published_at).toBe(published.body.updated_at);
    expect((await patch("draft")).status).toBe(409);
    const archived = await patch("archived");
    expect(archived.body.published_at).toBe(published.body.published_at);
  });

  test("are listed page by page, only those that the caller may read", async () => {
    const { call, ada, bob, post } = await scene();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await post({ status: n % 2 === 0 ? "published" : "draft" }));
    const pages: string[][] = [];
    let target: string | undefined = `/users/${ada.id}/posts?limit=2&fields=id`;
    while (target !== undefined) {
      const { body } = await call("GET", target, { token: ada.token });
      pages.push(body.data.map(({ id }: { id: string }) => id));
      const next: string | null = body.page.next_cursor;
      target = next === null ? undefined : `/users/${ada.id}/posts?limit=2&fields=id&cursor=${next}`;
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await call("GET", `/users/${ada.id}/posts`, { token: bob.token })).body.data).toHaveLength(3);
  });

  test.each(["limit=0", "limit=101", "limit=1e1", "limit=-1", "cursor=forged", "sort=body", "limit=2&limit=3"])(
    "refuse %s with 400 and the parameter's name",
    async (query) => {
      const { call, ada } = await scene();
      const { status, body } = await call("GET", `/users/me/posts?${query}`, { token: ada.token });
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(query.split("=")[0]);
    },
  );

  test("refuse a cursor of another list", async () => {
    const { call, ada, post } = await scene();
    await post();
    await post();
    const { body } = await call("GET", "/users/me/posts?limit=1", { token: ada.token });
    const other = await call("GET", `/users?cursor=${body.page.next_cursor}`, { token: ada.token });
    expect(other.body.code).toBe("invalid_cursor");
  });

  test("are a bare array in v1, with the next page in Link", async () => {
    const { call, ada, post } = await scene();
    await post();
    await post();
    const { body, headers } = await call("GET", "/users/me/posts?limit=1&fields=title", {
      token: ada.token,
      version: "v1",
    });
    expect(body).toEqual([{ title: "Hello" }]);
    expect(headers.link).toMatch(
      /^<\/api\/v1\/users\/me\/posts\?limit=1&fields=title>; rel="first", <\/api\/v1\/users\/me\/posts\?limit=1&fields=title&cursor=[\w.-]+>; rel="next"$/,
    );
  });
});

describe("comments", () => {
  test("stand under posts that the caller may read, in the caller's name", async () => {
    const { call, ada, bob, post } = await scene();
    const id = await post();
    const remark = (token: string) => call("POST", `/posts/${id}/comments`, { token, body: { body: "Nice" } });
    expect((await remark(bob.token)).status).toBe(404);
    await call("PATCH", `/posts/${id}`, { token: ada.token, body: { status: "published" } });
    const made = await remark(bob.token);
    expect(made.body).toMatchObject({ post_id: id, user_id: bob.id, body: "Nice" });
    expect((await call("GET", `/posts/${id}/comments`, { token: ada.token })).body.data).toHaveLength(1);
  });

  test("are changed by their author and deleted by the post's owner, too", async () => {
    const { call, ada, bob, user, post } = await scene();
    const id = await post({ status: "published" });
    const made = await call("POST", `/posts/${id}/comments`, { token: bob.token, body: { body: "Nice" } });
    const path = `/comments/${made.body.id}`;
    const eve = await user("eve");
    expect(await statusOf(call("PUT", path, { token: bob.token, body: { body: "Nicer" } }))).toBe(200);
    expect(await statusOf(call("PUT", path, { token: ada.token, body: { body: "Mine" } }))).toBe(403);
    expect(await statusOf(call("DELETE", path, { token: eve.token }))).toBe(403);
    expect(await statusOf(call("DELETE", path, { token: ada.token }))).toBe(204);
  });

  test("disappear from others with the post, but not from who wrote them", async () => {
    const { call, ada, bob, post } = await scene();
    const id = await post({ status: "published" });
    const made = await call("POST", `/posts/${id}/comments`, { token: bob.token, body: { body: "Nice" } });
    const hers = await call("POST", `/posts/${id}/comments`, { token: ada.token, body: { body: "Thanks" } });
    await call("PATCH", `/posts/${id}`, { token: ada.token, body: { status: "archived" } });
    expect(await statusOf(call("GET", `/comments/${made.body.id}`, { token: bob.token }))).toBe(200);
    expect(await statusOf(call("GET", `/comments/${hers.body.id}`, { token: bob.token }))).toBe(404);
    expect(await statusOf(call("GET", `/comments/${made.body.id}`, { token: ada.token }))).toBe(200);
  });
});

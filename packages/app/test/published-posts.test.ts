import { beforeEach, describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

describe("published posts can be found", () => {
  let api: Api;
  let ada: { id: string; token: string };
  let bob: { id: string; token: string };
  let published: string;
  let draft: string;

  beforeEach(async () => {
    api = testApi();
    ada = await api.user("ada");
    bob = await api.user("bob");
    const post = async (token: string, body: object): Promise<string> =>
      (await api.call("POST", "/users/me/posts", { token, body: { body: "text", ...body } })).body.id;
    published = await post(ada.token, { title: "published", status: "published" });
    draft = await post(ada.token, { title: "draft" });
    await post(bob.token, { title: "own" });
  });
  const get = (token: string, target: string, version = "v2") => api.call("GET", target, { token, version });
  const titles = async (token: string, target: string): Promise<readonly string[]> =>
    (await get(token, target)).body.data.map(({ title }: { title: string }) => title);

  test("by the list of all that the caller may read, with all list parameters", async () => {
    expect(await titles(bob.token, "/posts")).toEqual(["published", "own"]);
    expect(await titles(ada.token, "/posts?sort=-title")).toEqual(["published", "draft"]);
    expect(await titles(bob.token, "/posts?filter[status]=published")).toEqual(["published"]);
    const first = await get(bob.token, "/posts?limit=1&total=true&fields=title&include=author");
    expect(first.body).toMatchObject({
      data: [{ title: "published", author: { id: ada.id, name: "ada" } }],
      page: { has_more: true, total: 2 },
    });
    expect(await titles(bob.token, `/posts?limit=1&cursor=${first.body.page.next_cursor}`)).toEqual(["own"]);
    const v1 = await get(bob.token, "/posts?fields=title,content", "v1");
    expect(v1.body).toEqual([
      { title: "published", content: "text" },
      { title: "own", content: "text" },
    ]);
    const { token } = await api.admin();
    expect(await titles(token, "/posts")).toHaveLength(3);
  });

  test("by the list of their author, who is not there for others as long as they have published nothing", async () => {
    expect(await titles(bob.token, `/users/${ada.id}/posts`)).toEqual(["published"]);
    expect(await titles(bob.token, `/users/${ada.id}/posts?filter[status]=draft`)).toEqual([]);
    const none = await get(ada.token, `/users/${bob.id}/posts`);
    const missing = await get(ada.token, "/users/019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a/posts");
    expect(none.status).toBe(404);
    expect({ ...none.body, instance: "" }).toEqual({ ...missing.body, instance: "" });
    const write = { token: bob.token, body: { title: "x", body: "y" } };
    expect((await api.call("POST", `/users/${ada.id}/posts`, write)).status).toBe(404);
  });

  test("with the public fields of their author and no others", async () => {
    const read = async (token: string, query: string) => (await get(token, `/posts/${published}?${query}`)).body.author;
    expect(await read(bob.token, "include=author")).toEqual({ id: ada.id, name: "ada" });
    expect(await read(bob.token, "include=author&fields[users]=name,email")).toEqual({ name: "ada" });
    expect(await read(ada.token, "include=author&fields[users]=name,email")).toEqual({
      name: "ada",
      email: "ada@example.com",
    });
    const deeper = await read(bob.token, "include=author.posts&fields[posts]=title");
    expect(deeper).toMatchObject({ name: "ada", posts: { data: [{ title: "published" }] } });
    expect((await get(bob.token, `/users/${ada.id}`)).status).toBe(404);
  });

  test("while what a user wrote under one stays theirs to see when it is archived", async () => {
    const path = `/posts/${published}/comments`;
    const own = (await api.call("POST", path, { token: bob.token, body: { body: "mine" } })).body.id;
    const other = (await api.call("POST", path, { token: ada.token, body: { body: "hers" } })).body.id;
    await api.call("PATCH", `/posts/${published}`, { token: ada.token, body: { status: "archived" } });
    expect((await get(bob.token, `/comments/${own}`)).body).toMatchObject({ body: "mine" });
    expect((await get(bob.token, `/comments/${own}?include=post`)).body).toMatchObject({ post: null });
    expect((await get(bob.token, `/comments/${other}`)).status).toBe(404);
    expect((await get(bob.token, path)).body.data).toMatchObject([{ body: "mine" }]);
    expect((await get(bob.token, `/posts/${draft}/comments`)).status).toBe(404);
  });
});

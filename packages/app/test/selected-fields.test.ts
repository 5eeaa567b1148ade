import { builtInVersions } from "@postern/app";
import { removeField } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { testApi } from "./api.ts";

describe.each(["v1", "v2"])("fields in %s", (version) => {
  const text = version === "v1" ? "content" : "body";

  const withPosts = async () => {
    const api = testApi();
    const { id, token } = await api.user("ada");
    const made = [];
    for (const title of ["a", "b", "c"]) {
      const { body } = await api.call("POST", `/users/${id}/posts`, { token, version, body: { title, [text]: "t" } });
      made.push(body.id);
    }
    const get = (target: string) => api.call("GET", target, { token, version });
    const items = (body: unknown) => (version === "v1" ? body : (body as { data: unknown }).data);
    return { ...api, token, user: id, posts: made, get, items };
  };

  test("answers only what was asked, of one row, of lists and of writes", async () => {
    const { posts, user, get, items, call, token } = await withPosts();
    expect((await get(`/posts/${posts[0]}?fields=title`)).body).toEqual({ title: "a" });
    expect((await get(`/posts/${posts[0]}?fields=title,id`)).body).toEqual({ id: posts[0], title: "a" });
    const list = await get(`/users/${user}/posts?fields=title,${text}`);
    expect(items(list.body)).toEqual(["a", "b", "c"].map((title) => ({ title, [text]: "t" })));
    const patched = await call("PATCH", `/posts/${posts[0]}?fields=status`, { token, version, body: { title: "z" } });
    expect(patched.body).toEqual({ status: "draft" });
  });

  test("goes for included rows, too, which are found without their ids being shown", async () => {
    const { posts, get, call, token } = await withPosts();
    await call("POST", `/posts/${posts[0]}/comments`, { token, version, body: { [text]: "hm" } });
    const target = `/posts/${posts[0]}?fields=title&include=author,comments&fields[users]=name&fields[comments]=${text}`;
    expect((await get(target)).body).toMatchObject({ title: "a", author: { name: "ada" } });
    const { author, comments } = (await get(target)).body;
    expect([author, comments.data]).toEqual([{ name: "ada" }, [{ [text]: "hm" }]]);
  });

  test("may have blanks around names", async () => {
    const { posts, get } = await withPosts();
    expect((await get(`/posts/${posts[0]}?fields=%20title%20,%20${text}`)).body).toEqual({ title: "a", [text]: "t" });
    expect((await get(`/posts/${posts[0]}?fields=title,%20`)).body.code).toBe("invalid_fields");
    expect((await get(`/posts/${posts[0]}?fields=`)).body.code).toBe("invalid_fields");
  });

  test("leaves tags and cursors as they are when the id is not shown", async () => {
    const { posts, user, get, items, call, token } = await withPosts();
    const shown = await get(`/posts/${posts[0]}?fields=id,title`);
    const hidden = await get(`/posts/${posts[0]}?fields=title`);
    expect(hidden.headers.etag).toBe(shown.headers.etag);
    const pages = [];
    for (const fields of ["title", "id,title"]) {
      const first = await get(`/users/${user}/posts?fields=${fields}&limit=1&sort=-title`);
      const next = /<([^>]*)>; rel="next"/.exec(first.headers.link ?? "")?.[1]?.replace(/^\/api\/v\d/, "") ?? "";
      pages.push([next.replace(/.*cursor=/, ""), items((await get(next)).body)]);
    }
    expect(pages[0]?.[1]).toEqual([{ title: "b" }]);
    expect(pages[1]?.[1]).toEqual([{ id: posts[1], title: "b" }]);
    const headers = { "if-match": hidden.headers.etag };
    const write = { token, version, headers, body: { title: "z" } };
    expect((await call("PATCH", `/posts/${posts[0]}`, write)).status).toBe(200);
    expect((await call("PATCH", `/posts/${posts[0]}`, write)).status).toBe(412);
  });
});

test("fields that only an older version has come alone, too", async () => {
  const effect = removeField({ resource: "post", field: "mood", schema: z.enum(["calm"]), value: "calm" });
  const change = {
    id: "no-moods",
    kind: "removed",
    title: "Posts have no mood",
    why: "No.",
    migration: "None.",
  } as const;
  const { user, call } = testApi({
    versions: [...builtInVersions, { id: "v3", released: "2027-01-01", changes: [{ ...change, effects: [effect] }] }],
  });
  const { id, token } = await user("ada");
  const { body } = await call("POST", `/users/${id}/posts`, { token, body: { title: "a", body: "t" } });
  expect((await call("GET", `/posts/${body.id}?fields=mood`, { token })).body).toEqual({ mood: "calm" });
  expect((await call("GET", `/users/${id}/posts?fields=mood`, { token })).body.data).toEqual([{ mood: "calm" }]);
});

import { builtInResources, comment } from "@postern/app";
import type { Resource, ResourceRepository } from "@postern/core";
import { relationsOf } from "@postern/core/internal";
import { describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const ada = await api.user("ada");
  const post = async (changes: object = {}): Promise<string> => {
    await api.ports.clock.advance(1000);
    const body = { title: "Hello", body: "World", ...changes };
    const made = await api.call("POST", `/users/${ada.id}/posts`, { token: ada.token, body });
    expect(made.status).toBe(201);
    return made.body.id;
  };
  const list = async (query: string, token = ada.token) => {
    const { status, body } = await api.call("GET", `/users/${ada.id}/posts?${query}`, { token });
    expect(body).toMatchObject({ data: expect.anything() });
    expect(status).toBe(200);
    return body;
  };
  const ids = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }: { id: string }) => id);
  const refusal = async (query: string, token = ada.token) => {
    const { status, body } = await api.call("GET", `/users/${ada.id}/posts?${query}`, { token });
    expect(status, query).toBe(400);
    return { code: body.code, parameters: body.errors.map(({ parameter }: { parameter: string }) => parameter) };
  };
  return { ...api, ada, post, list, ids, refusal };
};

/** Follows `Link` headers of one relation from a page on; the ids of each page. */
const follow = async ({ call }: Api, token: string, start: string, rel: "next" | "prev"): Promise<string[][]> => {
  const pages: string[][] = [];
  let target: string | undefined = start;
  while (target !== undefined) {
    const { body, headers } = await call("GET", target, { token });
    pages.push(body.data.map(({ id }: { id: string }) => id));
    const link = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? "")?.[1];
    target = link?.replace("/api/v2", "");
    expect(pages.length).toBeLessThan(50);
  }
  return pages;
};

describe("sorting", () => {
  test("takes several keys, each in its direction, and leaves ties in order of age", async () => {
    const { post, ids } = await scene();
    const [a1, b1, a2, b2] = [
      await post({ title: "A" }),
      await post({ title: "B" }),
      await post({ title: "A" }),
      await post({ title: "B" }),
    ];
    expect(await ids("sort=title")).toEqual([a1, a2, b1, b2]);
    expect(await ids("sort=-title")).toEqual([b2, b1, a2, a1]);
    expect(await ids("sort=title,-created_at")).toEqual([a2, a1, b2, b1]);
    expect(await ids("sort=-id")).toEqual([b2, a2, b1, a1]);
  });

  test("puts what has no value last in either direction", async () => {
    const { post, ids } = await scene();
    const draft = await post();
    const early = await post({ status: "published" });
    const late = await post({ status: "published" });
    expect(await ids("sort=published_at")).toEqual([early, late, draft]);
    expect(await ids("sort=-published_at")).toEqual([late, early, draft]);
  });

  test.each(["sort=body", "sort=password", "sort=", "sort=title,", "sort=--title", "sort=title,title", "sort=+title"])(
    "refuses %s",
    async (query) => {
      const { refusal } = await scene();
      expect(await refusal(query)).toEqual({ code: "invalid_sort", parameters: ["sort"] });
    },
  );

  test("refuses a fourth key", async () => {
    const { refusal, ids } = await scene();
    expect(await ids("sort=title,created_at,updated_at")).toEqual([]);
    expect((await refusal("sort=title,created_at,updated_at,published_at")).code).toBe("invalid_sort");
  });
});

describe("filters", () => {
  test("compare, by each operator of the field", async () => {
    const { post, ids, list } = await scene();
    const draft = await post({ title: "Draft one" });
    const first = await post({ title: "First", status: "published" });
    const second = await post({ title: "Second, 50% off", status: "published" });
    const time = (await list("sort=created_at")).data[1].created_at;
    expect(await ids("filter[status]=draft")).toEqual([draft]);
    expect(await ids("filter[status][eq]=draft")).toEqual([draft]);
    expect(await ids("filter[status][ne]=draft")).toEqual([first, second]);
    expect(await ids("filter[status][in]=draft,archived")).toEqual([draft]);
    // As clients and proxies write it that encode every comma.
    expect(await ids("filter[status][in]=draft%2Carchived")).toEqual([draft]);
    expect(await ids("filter[status][nin]=draft,archived")).toEqual([first, second]);
    expect(await ids("filter[published_at][null]=true")).toEqual([draft]);
    expect(await ids("filter[published_at][null]=false")).toEqual([first, second]);
    expect(await ids("filter[title][contains]=D%20O")).toEqual([]);
    expect(await ids("filter[title][contains]=T%20O")).toEqual([draft]);
    expect(await ids("filter[title][contains]=%25")).toEqual([second]);
    expect(await ids("filter[title][starts_with]=sec")).toEqual([second]);
    expect(await ids(`filter[created_at]=${time}`)).toEqual([first]);
    expect(await ids(`filter[created_at][gt]=${time}`)).toEqual([second]);
    expect(await ids(`filter[created_at][gte]=${time}`)).toEqual([first, second]);
    expect(await ids(`filter[created_at][lt]=${time}`)).toEqual([draft]);
    expect(await ids(`filter[created_at][lte]=${time}`)).toEqual([draft, first]);
    expect(await ids(`filter[id][in]=${first},${draft}`)).toEqual([draft, first]);
    expect(await ids(`filter[status]=published&filter[title]=First`)).toEqual([first]);
  });

  test("take a moment with any offset", async () => {
    const { post, ids, list } = await scene();
    const id = await post();
    await post();
    const utc: string = (await list("")).data[0].created_at;
    const east = new Date(Date.parse(utc) + 5.5 * 3600_000).toISOString().replace("Z", "%2B05:30");
    expect(await ids(`filter[created_at]=${east}`)).toEqual([id]);
  });

  test("take a day for a time: all of it, in UTC", async () => {
    const { ports, call } = await scene();
    const { clock } = ports;
    const day = new Date(clock.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const moment = (afterMs: number): string => new Date(Date.parse(day) + afterMs).toISOString();
    const signIn = async (): Promise<string> => {
      const body = { email: "ada@example.com", password: "correct horse battery" };
      return (await call("POST", "/sessions", { body })).body.access_token;
    };
    const at = async (afterMs: number): Promise<string> => {
      await clock.advance(Date.parse(moment(afterMs)) - clock.now());
      const body = { title: "Hello", body: "World" };
      return (await call("POST", "/posts", { token: await signIn(), body })).body.id;
    };
    const [before, first, last, after] = [await at(-1), await at(0), await at(86_399_999), await at(86_400_000)];
    const token = await signIn();
    const created = async (op: string, value = day, version = "v2") => {
      const { body } = await call("GET", `/users/me/posts?filter[created_at]${op}=${value}`, { token, version });
      return (body.data ?? body).map(({ id }: { id: string }) => id);
    };
    expect(await created("")).toEqual([first, last]);
    expect(await created("[eq]")).toEqual([first, last]);
    expect(await created("[ne]")).toEqual([before, after]);
    expect(await created("[gt]")).toEqual([after]);
    expect(await created("[gte]")).toEqual([first, last, after]);
    expect(await created("[lt]")).toEqual([before]);
    expect(await created("[lte]")).toEqual([before, first, last]);
    expect(await created("[in]", `${day},${moment(-1)}`)).toEqual([before, first, last]);
    expect(await created("[nin]", `${day},${moment(-1)}`)).toEqual([after]);
    expect(await created("[lte]", "9999-12-31")).toHaveLength(4);
    expect(await created("[gt]", day, "v1")).toEqual([after]);
  });

  test("that do not exist are answered with those that do", async () => {
    const { call, ada } = await scene();
    const fault = async (query: string, version = "v2") =>
      (await call("GET", `/users/${ada.id}/posts?${query}`, { token: ada.token, version })).body.errors[0].detail;
    expect(await fault("filter[status][like]=x")).toBe('no such parameter; "filter[status]" takes eq, ne, in, nin');
    expect(await fault("filter[published_at][nul]=true")).toBe(
      'no such parameter; "filter[published_at]" takes eq, ne, lt, lte, gt, gte, in, nin, null',
    );
    expect(await fault("filter[titel]=x")).toContain('did you mean "filter[title]"');
    expect(await fault("filter[colour]=x")).toBe(
      'no such parameter; there are "filter[id]", "filter[title]", "filter[status]", "filter[published_at]", "filter[created_at]", "filter[updated_at]"',
    );
    expect(await fault("filter[created_at]=x", "v1")).toContain("or a day such as 2026-01-31");
  });

  test.each([
    ["filter[status]=gone", "filter[status]"],
    ["filter[created_at]=2026-02-30", "filter[created_at]"],
    ["filter[created_at][in]=2026-01-01,soon", "filter[created_at][in]"],
    ["filter[published_at][null]=1", "filter[published_at][null]"],
    ["filter[status][in]=draft,gone", "filter[status][in]"],
    ["filter[status][lt]=draft", "filter[status][lt]"],
    ["filter[created_at][gt]=yesterday", "filter[created_at][gt]"],
    ["filter[created_at][gt]=2026-02-30T00:00:00Z", "filter[created_at][gt]"],
    ["filter[published_at][null]=1", "filter[published_at][null]"],
    ["filter[title]=", "filter[title]"],
    ["filter[title][contains]=", "filter[title][contains]"],
    ["filter[body][contains]=x", "filter[body][contains]"],
    ["filter[nothing]=x", "filter[nothing]"],
    ["filter[__proto__]=x", "filter[__proto__]"],
    ["filter[title][regex]=x", "filter[title][regex]"],
    ["filter[title][eq][eq]=x", "filter[title][eq][eq]"],
    ["filter[]=x", "filter[]"],
    ["filter[id]=not-an-id", "filter[id]"],
  ])("refuse %s, naming it", async (query, parameter) => {
    const { refusal } = await scene();
    expect(await refusal(query)).toEqual({ code: "invalid_filter", parameters: [parameter] });
  });

  test("are ten at the most", async () => {
    const { refusal, ids } = await scene();
    const names = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin"];
    const filters = [
      ...names.map((op) => `filter[created_at][${op}]=2026-01-01T00:00:00Z`),
      "filter[title]=x",
      "filter[status]=draft",
    ];
    expect(await ids(filters.join("&"))).toEqual([]);
    expect(await refusal([...filters, "filter[title][ne]=y"].join("&"))).toEqual({
      code: "invalid_filter",
      parameters: [expect.stringMatching(/^filter\[/)],
    });
  });

  test("by what is not among the parameters is an unknown parameter", async () => {
    const { refusal } = await scene();
    for (const query of ["filter=x", "status=draft", "sort[]=title", "order=title", "offset=10"]) {
      expect((await refusal(query)).code).toBe("unknown_parameter");
    }
  });
});

describe("cursors", () => {
  const orders = ["", "sort=-created_at", "sort=title,-published_at", "sort=published_at", "sort=-title"];

  test.each(orders)("visit every row once in both directions with %s", async (order) => {
    const api = await scene();
    const { post, ada, ids } = api;
    for (let n = 0; n < 7; n += 1) {
      await post({ title: ["B", "A", "C"][n % 3], ...(n % 2 === 0 ? {} : { status: "published" }) });
    }
    const whole = await ids(`limit=100&${order}`);
    expect(whole).toHaveLength(7);
    const forwards = await follow(api, ada.token, `/users/me/posts?limit=3&${order}`, "next");
    expect(forwards.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(forwards.flat()).toEqual(whole);
    const { body } = await api.call("GET", `/users/me/posts?limit=6&${order}`, { token: ada.token });
    const last = await api.call("GET", `/users/me/posts?limit=2&${order}&cursor=${body.page.next_cursor}`, {
      token: ada.token,
    });
    expect(last.body.page).toMatchObject({ has_more: false, next_cursor: null });
    const back = await follow(
      api,
      ada.token,
      `/users/me/posts?limit=2&${order}&cursor=${last.body.page.prev_cursor}`,
      "prev",
    );
    expect([...back.toReversed().flat(), ...whole.slice(6)]).toEqual(whole);
  });

  test("hold while rows come and go, their own row included", async () => {
    const { post, list, call, ada } = await scene();
    const made = [await post(), await post(), await post(), await post(), await post()];
    const first = await list("limit=2");
    await call("DELETE", `/posts/${made[1]}`, { token: ada.token });
    await call("DELETE", `/posts/${made[2]}`, { token: ada.token });
    const added = await post();
    const second = await list(`limit=2&cursor=${first.page.next_cursor}`);
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([made[3], made[4]]);
    const third = await list(`limit=2&cursor=${second.page.next_cursor}`);
    expect(third.data.map(({ id }: { id: string }) => id)).toEqual([added]);
    const back = await list(`limit=2&cursor=${second.page.prev_cursor}`);
    expect(back.data.map(({ id }: { id: string }) => id)).toEqual([made[0]]);
    expect(back.page).toMatchObject({ prev_cursor: null, has_more: true });
  });

  test("lead on from a page that has become empty", async () => {
    const { post, list, call, ada } = await scene();
    const made = [await post(), await post(), await post()];
    const first = await list("limit=2");
    await call("DELETE", `/posts/${made[2]}`, { token: ada.token });
    const empty = await list(`limit=2&cursor=${first.page.next_cursor}`);
    expect(empty).toMatchObject({ data: [], page: { has_more: false, next_cursor: null } });
    const back = await list(`limit=2&cursor=${empty.page.prev_cursor}`);
    expect(back.data.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
    expect(back.page).toMatchObject({ next_cursor: null, prev_cursor: null });
  });

  test("are refused where they were not issued: another list, order, filter or value", async () => {
    const { post, list, refusal, call, ada } = await scene();
    await post();
    const id = await post();
    const cursor: string = (await list("limit=1&sort=title&filter[status]=draft")).page.next_cursor;
    await list(`limit=7&sort=title&filter[status]=draft&fields=title&total=true&cursor=${cursor}`);
    for (const query of [
      `sort=title&cursor=${cursor}`,
      `sort=-title&filter[status]=draft&cursor=${cursor}`,
      `filter[status]=draft&cursor=${cursor}`,
      `sort=title&filter[status]=published&cursor=${cursor}`,
      `sort=title&filter[status][ne]=draft&cursor=${cursor}`,
      `sort=title&filter[status]=draft&cursor=${cursor.slice(0, -1)}${cursor.endsWith("0") ? "1" : "0"}`,
      "cursor=",
    ]) {
      expect((await refusal(query)).code, query).toBe("invalid_cursor");
    }
    const { body } = await call("GET", `/posts/${id}/comments?cursor=${cursor}`, { token: ada.token });
    expect(body.code).toBe("invalid_cursor");
  });

  test("stand in links that keep all other parameters, to the letter", async () => {
    const { post, call, ada } = await scene();
    for (let n = 0; n < 3; n += 1) await post({ title: "Why? é" });
    const query = "limit=1&filter%5Btitle%5D=Why?%20%C3%A9&sort=-created_at&total=true";
    const first = await call("GET", `/users/me/posts?${query}`, { token: ada.token });
    const { next_cursor: next } = first.body.page;
    expect(first.headers.link).toBe(
      `</api/v2/users/me/posts?${query}>; rel="first", </api/v2/users/me/posts?${query}&cursor=${next}>; rel="next"`,
    );
    const second = await call("GET", `/users/me/posts?c%75rsor=${next}&${query}`, { token: ada.token });
    expect(second.headers.link?.split(", ").map((link) => link.split("; ")[1])).toEqual([
      'rel="first"',
      'rel="prev"',
      'rel="next"',
    ]);
    expect(second.headers.link).toContain(`</api/v2/users/me/posts?${query}>; rel="first"`);
  });

  test("stand in links as URIs, however the caller spelled the parameters", async () => {
    const { call, ada } = await scene();
    const { headers } = await call("GET", `/users/me/posts?filter[title]=a>b"`, { token: ada.token });
    expect(headers.link).toBe('</api/v2/users/me/posts?filter%5Btitle%5D=a%3Eb%22>; rel="first"');
  });
});

describe("total", () => {
  test("counts the rows that match the filter and that the caller may read", async () => {
    const { post, list } = await scene();
    for (let n = 0; n < 3; n += 1) await post();
    await post({ status: "published" });
    expect((await list("limit=1")).page.total).toBeUndefined();
    expect((await list("limit=1&total=false")).page.total).toBeUndefined();
    expect((await list("limit=1&total=true&filter[status]=draft")).page).toMatchObject({
      total: 3,
      total_is_exact: true,
      total_is_minimum: false,
    });
  });
});

describe("include", () => {
  const withComments = async () => {
    const base = await scene();
    const bob = await base.user("bob");
    const id = await base.post({ status: "published" });
    const remark = (token: string, body: string) =>
      base.call("POST", `/posts/${id}/comments`, { token, body: { body } });
    await remark(base.ada.token, "Mine");
    await remark(bob.token, "Yours");
    return { ...base, bob, id, remark };
  };

  test("brings what a row refers to and what lies below it, with the fields asked for", async () => {
    const { call, ada, id } = await withComments();
    const { body } = await call(
      "GET",
      `/posts/${id}?fields=title&include=author,comments&fields[users]=name&fields[comments]=body`,
      { token: ada.token },
    );
    expect(body).toEqual({
      title: "Hello",
      author: { name: "ada" },
      comments: {
        data: [{ body: "Mine" }, { body: "Yours" }],
        page: { limit: 20, has_more: false, next_cursor: null, prev_cursor: null },
        link: `/api/v2/posts/${id}/comments`,
      },
    });
  });

  test("goes two steps far, and shows of a user who is not theirs to see what is public alone", async () => {
    const { call, ada, bob, id, admin } = await withComments();
    const authors = async (token: string) => {
      const { body } = await call("GET", `/posts/${id}?include=author,comments.author`, { token });
      return [body.author, ...body.comments.data.map(({ author }: { author: unknown }) => author)].map(
        (author) => `${author.name} ${Object.keys(author).length > 2 ? "whole" : "public"}`,
      );
    };
    expect(await authors(ada.token)).toEqual(["ada whole", "ada whole", "bob public"]);
    expect(await authors(bob.token)).toEqual(["ada public", "ada public", "bob whole"]);
    expect(await authors((await admin()).token)).toEqual(["ada whole", "ada whole", "bob whole"]);
  });

  test("never shows a hidden field", async () => {
    const { call, ada, id } = await withComments();
    const { body } = await call("GET", `/posts/${id}?include=author`, { token: ada.token });
    expect(Object.keys(body.author)).not.toContain("password");
    const asked = await call("GET", `/posts/${id}?include=author&fields[users]=password`, { token: ada.token });
    expect(asked.body).toMatchObject({ code: "invalid_fields", errors: [{ parameter: "fields[users]" }] });
  });

  test("cuts many off at 20, and goes on where the list itself does", async () => {
    const { call, ada, id, remark } = await withComments();
    for (let n = 0; n < 20; n += 1) await remark(ada.token, `No. ${n}`);
    const { body } = await call("GET", `/posts/${id}?include=comments`, { token: ada.token });
    expect(body.comments.data).toHaveLength(20);
    expect(body.comments.page.has_more).toBe(true);
    const rest = await call("GET", `/posts/${id}/comments?cursor=${body.comments.page.next_cursor}`, {
      token: ada.token,
    });
    expect(rest.body.data.map(({ body: text }: { body: string }) => text)).toEqual(["No. 18", "No. 19"]);
  });

  test("asks once for each relation, and once more for what is public alone, however many rows there are", async () => {
    const { post, ports, list } = await withComments();
    for (let n = 0; n < 5; n += 1) await post();
    const asked: string[] = [];
    const resources = { ...ports.storage.resources };
    const watched: Partial<ResourceRepository> = {
      list: (resource: Resource, query) => {
        asked.push(`list ${resource.plural}`);
        return resources.list(resource, query);
      },
      findEach: (resource, ...rest) => {
        asked.push(`findEach ${resource.plural}`);
        return resources.findEach(resource, ...rest);
      },
      listBelow: (resource, query) => {
        asked.push(`listBelow ${resource.plural}`);
        return resources.listBelow(resource, query);
      },
    };
    Object.assign(ports.storage.resources, watched);
    const { data } = await list("include=author,comments,comments.author");
    expect(data).toHaveLength(6);
    expect(asked.toSorted()).toEqual([
      "findEach users",
      "findEach users",
      "findEach users",
      "list posts",
      "listBelow comments",
    ]);
  });

  test.each([
    ["include=nobody", "invalid_include", "include"],
    ["include=", "invalid_include", "include"],
    ["include=author,", "invalid_include", "include"],
    ["include=comments.post.author", "invalid_include", "include"],
    ["include=author.posts.comments", "invalid_include", "include"],
    ["include=__proto__", "invalid_include", "include"],
    ["fields[users]=name", "invalid_fields", "fields[users]"],
    ["fields[comments]=body&include=author", "invalid_fields", "fields[comments]"],
    ["fields[sessions]=id", "invalid_fields", "fields[sessions]"],
    ["fields[users]=&include=author", "invalid_fields", "fields[users]"],
    ["fields=nothing", "invalid_fields", "fields"],
  ])("refuses %s with %s", async (query, code, parameter) => {
    const { refusal } = await scene();
    expect(await refusal(query)).toEqual({ code, parameters: [parameter] });
  });

  test.each([
    ["sort=titel", 'not "titel"; did you mean "title"?'],
    ["sort=-creatd_at,tilte", 'not "creatd_at", "tilte"; did you mean "created_at", "title"?'],
    ["include=auhtor", 'no relation "auhtor"; did you mean "author"?'],
    ["include=comments.autor", 'no relation "comments.autor"; did you mean "comments.author"?'],
    ["fields=boddy,statsu", 'no field "boddy", "statsu"; did you mean "body", "status"?'],
    ["filter[stauts]=draft", 'no such parameter; did you mean "filter[status]"?'],
    [
      "filter[created_at][gtee]=2026",
      'no such parameter; "filter[created_at]" takes eq, ne, lt, lte, gt, gte, in, nin',
    ],
    ["limt=1", 'no such parameter; did you mean "limit"?'],
    ["include=author&fields[author]=name", 'no such parameter; what this selects is called "fields[users]"'],
    ["include=author&fields[user]=name", 'no such parameter; what this selects is called "fields[users]"'],
    [
      "include=comments.author&fields[comments.author]=id",
      'no such parameter; what this selects is called "fields[users]"',
    ],
    ["sort=nonsense", 'not "nonsense"; there are "id", "title", "published_at", "created_at", "updated_at"'],
    ["fields=it", 'no field "it"'],
  ])("tells who wrote %s what was probably meant", async (query, detail) => {
    const { call, ada } = await scene();
    const { status, body } = await call("GET", `/users/${ada.id}/posts?${query}`, { token: ada.token });
    expect([status, body.errors[0].detail]).toEqual([400, detail]);
  });

  test("tells it in the words of the version that was asked", async () => {
    const { call, ada } = await scene();
    const asked = { token: ada.token, version: "v1" };
    const { body } = await call("GET", `/users/${ada.id}/posts?fields=bodi`, asked);
    expect(body.errors[0].detail).toBe('no field "bodi"; did you mean "content"?');
  });

  test("does not multiply many by many", async () => {
    const { call, ada } = await scene();
    expect((await call("GET", "/users/me?include=posts.author", { token: ada.token })).status).toBe(200);
    const { body } = await call("GET", "/users/me?include=posts.comments", { token: ada.token });
    expect(body.code).toBe("invalid_include");
  });
});

const author = { resource: "user", onDelete: "cascade" } as const;

describe("relations", () => {
  test("have names of their own", () => {
    const named = (as: string): Resource => ({
      ...comment,
      fields: {
        ...comment.fields,
        user_id: { ...comment.fields.user_id, references: { ...author, as } },
      } as Resource["fields"],
    });
    const known = new Map(builtInResources.map((resource) => [resource.name, resource]));
    expect([...relationsOf(comment, known).keys()]).toEqual(["post", "author"]);
    expect(() => relationsOf(named("body"), known)).toThrow("the name of a field");
    expect(() => relationsOf(named("post"), known)).toThrow('two relations named "post"');
  });
});

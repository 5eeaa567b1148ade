import { memoryStorage } from "@postern/core/memory";
import { parseEntityTags } from "@postern/rest/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const draft = { title: "Hello", body: "World" };

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const ada = await api.user("ada");
  const made = await api.call("POST", "/users/me/posts", { token: ada.token, body: draft });
  const path = `/posts/${made.body.id}`;
  const get = (headers = {}, target = path, version = "v2") =>
    api.call("GET", target, { token: ada.token, headers, version });
  const patch = (match: string | undefined, version = "v2", body: object = { title: "Changed" }) =>
    api.call("PATCH", path, { token: ada.token, version, body, headers: { "if-match": match } });
  return { ...api, ada, path, made, get, patch };
};

describe("an entity tag", () => {
  test("is strong, stands on reads and writes alike, and changes with each write", async () => {
    const { made, get, patch } = await scene();
    const first = made.headers.etag ?? "";
    expect(first).toMatch(/^"1\.[\w-]{18}"$/);
    expect((await get()).headers.etag).toBe(first);
    const changed = await patch(first);
    expect([changed.status, changed.headers.etag]).toEqual([200, expect.stringMatching(/^"2\./)]);
    expect((await get()).headers.etag).toBe(changed.headers.etag);
  });

  test("differs by version and by fields, not by who reads or with which token", async () => {
    const { path, get, admin, call } = await scene();
    const root = await admin();
    const tags = [
      (await get()).headers.etag,
      (await get({}, path, "v1")).headers.etag,
      (await get({}, `${path}?fields=title`)).headers.etag,
    ];
    expect(new Set(tags).size).toBe(3);
    expect((await call("GET", path, { token: root.token })).headers.etag).toBe(tags[0]);
    expect((await get({}, `${path}?fields=title,id`)).headers.etag).toBe(tags[2]);
  });

  test("of one's own user is not that of another's, though both are read at /users/me", async () => {
    const { call, ada, user } = await scene();
    const bob = await user("bob");
    const { etag } = (await call("GET", "/users/me", { token: ada.token })).headers;
    const other = await call("GET", "/users/me", { token: bob.token, headers: { "if-none-match": etag ?? "" } });
    expect(other.status).toBe(200);
  });

  test("of a list is of its content in the version that was asked", async () => {
    const { get, patch } = await scene();
    const list = (version: string) => get({}, "/users/me/posts", version);
    const before = [await list("v1"), await list("v2")].map(({ headers }) => headers.etag);
    expect(new Set(before).size).toBe(2);
    expect((await list("v2")).headers.etag).toBe(before[1]);
    await patch("*");
    expect((await list("v2")).headers.etag).not.toBe(before[1]);
  });
});

describe("a read of a representation that the caller has already", () => {
  test("is answered 304, without body and with what caches need", async () => {
    const { get } = await scene();
    const { etag = "", "last-modified": lastModified } = (await get()).headers;
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*", etag.replace(/"$/, '-gzip"')]) {
      const { status, headers, body } = await get({ "if-none-match": given });
      expect([given, status, body]).toEqual([given, 304, undefined]);
      expect(headers).toEqual({
        etag,
        "last-modified": lastModified,
        "cache-control": "private, no-cache",
        vary: "Authorization",
      });
    }
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
  });

  test("holds for lists and for documents", async () => {
    const { get } = await scene();
    for (const target of ["/users/me/posts", "/openapi.json", "/docs"]) {
      const { etag = "" } = (await get({}, target)).headers;
      expect((await get({ "if-none-match": etag }, target)).status).toBe(304);
    }
  });

  test("goes by the date only where there is no tag, to the second", async () => {
    const { get, patch, ports } = await scene();
    const { "last-modified": since = "" } = (await get()).headers;
    expect((await get({ "if-modified-since": since })).status).toBe(304);
    expect((await get({ "if-modified-since": since, "if-none-match": '"other"' })).status).toBe(200);
    expect((await get({ "if-modified-since": "yesterday" })).status).toBe(200);
    await ports.clock.advance(1000);
    await patch("*");
    expect((await get({ "if-modified-since": since })).status).toBe(200);
  });

  test("is refused with 412 where If-Match names what there is no more, a row's or a list's", async () => {
    const { get, patch, path } = await scene();
    const list = "/users/me/posts";
    const [row, page] = [(await get({}, path)).headers.etag ?? "", (await get({}, list)).headers.etag ?? ""];
    const withTag = async (target: string, tag: string) => (await get({ "if-match": tag }, target)).status;
    expect([await withTag(path, row), await withTag(list, page)]).toEqual([200, 200]);
    expect([await withTag(`${path}?fields=title`, row), await withTag(path, "*")]).toEqual([200, 200]);
    expect([await withTag(path, `W/${row}`), await withTag(list, row)]).toEqual([200, 412]);
    expect((await patch("*")).status).toBe(200);
    expect([await withTag(path, row), await withTag(list, page)]).toEqual([412, 412]);
  });

  test("keeps its 404 for what the caller may not see", async () => {
    const { call, path, user } = await scene();
    const bob = await user("bob");
    expect((await call("GET", path, { token: bob.token, headers: { "if-none-match": "*" } })).status).toBe(404);
  });
});

describe("a write", () => {
  test("needs If-Match in v2 and not in v1", async () => {
    const { patch, call, ada, path } = await scene();
    const missing = await patch(undefined);
    expect([missing.status, missing.body.code]).toEqual([428, "precondition_required"]);
    expect(missing.body.errors).toEqual([expect.objectContaining({ header: "If-Match" })]);
    const none = { "if-match": undefined };
    const put = await call("PUT", path, { token: ada.token, body: draft, headers: none });
    const removal = await call("DELETE", path, { token: ada.token, headers: none });
    expect([put.status, removal.status]).toEqual([428, 428]);
    const onlyNew = await call("PUT", path, {
      token: ada.token,
      body: draft,
      headers: { ...none, "if-none-match": "*" },
    });
    expect([onlyNew.status, onlyNew.body.errors[0].header]).toEqual([412, "If-None-Match"]);
    expect((await patch(undefined, "v1")).status).toBe(200);
    expect((await call("DELETE", path, { token: ada.token, version: "v1" })).status).toBe(204);
  });

  test("takes a tag of the present revision, whatever was selected and in whichever version it was read", async () => {
    const { get, patch, path } = await scene();
    const tags = [
      (await get({}, `${path}?fields=title`)).headers.etag,
      (await get({}, path, "v1")).headers.etag,
      '"other" , "1.x"',
    ];
    expect((await patch(tags.join(", "))).status).toBe(200);
  });

  test.each(["", "-gzip", "--gzip", ";gzip", "-br"])(
    "fits its tag through a proxy, weak or not, with %s at its end",
    async (end) => {
      const { get, patch } = await scene();
      for (const weak of ["", "W/"]) {
        const { etag = "" } = (await get()).headers;
        const { status, headers } = await patch(`${weak}${etag.replace(/"$/, `${end}"`)}`);
        expect([weak, status]).toEqual([weak, 200]);
        expect(headers.etag).not.toBe(etag);
        expect((await patch(`${weak}${etag.replace(/"$/, `${end}"`)}`)).body.detail).toContain("was changed");
      }
    },
  );

  test.each(["v1", "v2"])(
    "is refused with 412 for an old tag and a foreign one, with the true reason, in %s",
    async (version) => {
      const { made, patch, get, call, ada } = await scene();
      const old = made.headers.etag ?? "";
      await patch(old);
      const now = (await get()).headers.etag ?? "";
      const other = await call("POST", "/users/me/posts", { token: ada.token, body: draft });
      await call("PATCH", `/posts/${other.body.id}`, { token: ada.token, body: draft });
      const foreign = (await call("GET", `/posts/${other.body.id}`, { token: ada.token })).headers.etag ?? "";
      expect(foreign).toMatch(/^"2\./);
      for (const [tag, why] of [
        [old, "The row was changed after you read it"],
        [foreign, "not one of this row"],
        ['"2"', "not one that this server gives"],
        ['""', "not one that this server gives"],
      ] as const) {
        const { status, body } = await patch(tag, version);
        expect([tag, status, body.code]).toEqual([tag, 412, "precondition_failed"]);
        expect(body.detail).toContain(why);
      }
      expect((await get()).headers.etag).toBe(now);
    },
  );

  test.each(["", "abc", '"abc', '"a" "b"', "W/", ",", '*, "a"', "'a'"])(
    "is refused with 400 when the header is malformed: %s",
    async (value) => {
      const { patch, get } = await scene();
      const { status, body } = await patch(value);
      expect([status, body.code, body.errors[0].header]).toEqual([400, "malformed_header", "If-Match"]);
      expect((await get({ "if-none-match": value })).body.code).toBe("malformed_header");
    },
  );

  test("without a tag succeeds for each of many at once, on top of the others'", async () => {
    const { call, ada } = await scene();
    const made = await call("GET", "/users/me", { token: ada.token });
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const answers = await Promise.all(
      names.map((name) =>
        call("PATCH", "/users/me", { token: ada.token, version: "v1", body: { preferences: { [name]: name } } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { body, headers } = await call("GET", "/users/me", { token: ada.token });
    expect(Object.keys(body.preferences).toSorted()).toEqual(names.toSorted());
    expect([made.headers.etag, headers.etag]).toEqual([
      expect.stringMatching(/^"1\./),
      expect.stringMatching(/^"41\./),
    ]);
  });

  test("without a tag gets its turn, however many others keep coming", async () => {
    const inner = memoryStorage();
    let others = 0;
    let isComing = false;
    const coming: Promise<number>[] = [];
    // Whenever the row is read, another write comes and is given time to be first.
    let come = (): Promise<number> => Promise.resolve(0);
    const find: typeof inner.resources.find = async (resource, id, scope, fields) => {
      const row = await inner.resources.find(resource, id, scope, fields);
      if (resource.name === "post" && others > 0 && !isComing) {
        isComing = true;
        others -= 1;
        coming.push(come());
        for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        isComing = false;
      }
      return row;
    };
    const storage = { ...inner, resources: { ...inner.resources, find } };
    const { call, user } = testApi({ settings: { rateLimits: "off" } }, { storage });
    const { token } = await user("ada");
    const made = await call("POST", "/users/me/posts", { token, body: draft });
    const patch = async () =>
      (await call("PATCH", `/posts/${made.body.id}`, { token, body: { title: "T" }, headers: { "if-match": "*" } }))
        .status;
    come = patch;
    others = 30;
    expect(await patch()).toBe(200);
    for (const one of coming) expect(await one).toBe(200);
  });

  test("to what is not there stays 404, and to what is not one's own 403", async () => {
    const { patch, call, user, path } = await scene();
    await patch("*", "v2", { status: "published" });
    const bob = await user("bob");
    for (const match of [undefined, '"1.x"', "*"]) {
      const headers = { "if-match": match };
      const foreign = await call("PATCH", path, { token: bob.token, body: { title: "x" }, headers });
      const missing = await call("PATCH", "/posts/01900000-0000-7000-8000-000000000000", {
        token: bob.token,
        body: {},
        headers,
      });
      expect([foreign.status, missing.status]).toEqual([403, 404]);
    }
  });

  test("can be tied to the time of the copy", async () => {
    const { get, patch, call, ada, path, ports } = await scene();
    const { "last-modified": since = "" } = (await get()).headers;
    await ports.clock.advance(2000);
    await patch("*");
    const late = await call("PATCH", path, {
      token: ada.token,
      version: "v1",
      body: { title: "Late" },
      headers: { "if-unmodified-since": since },
    });
    expect(late.status).toBe(412);
  });

  test("that wants nothing to be there is refused", async () => {
    const { path, call, ada } = await scene();
    const headers = { "if-none-match": "*" };
    expect((await call("PUT", path, { token: ada.token, body: draft, headers })).status).toBe(412);
  });

  test("does not delete under a tag what was changed at the same moment", async () => {
    const { made, call, ada, path } = await scene();
    const headers = { "if-match": made.headers.etag };
    const [changed, deleted] = await Promise.all([
      call("PATCH", path, { token: ada.token, headers, body: { title: "Kept" } }),
      call("DELETE", path, { token: ada.token, headers }),
    ]);
    expect([changed.status, deleted.status]).toEqual([200, 412]);
    expect((await call("GET", path, { token: ada.token })).body.title).toBe("Kept");
  });

  test.each(["PATCH", "DELETE"] as const)("of many with the same tag, one %s goes through", async (method) => {
    const { made, call, ada, path } = await scene();
    const headers = { "if-match": made.headers.etag };
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        call(method, path, { token: ada.token, headers, ...(method === "PATCH" ? { body: { title: `T${n}` } } : {}) }),
      ),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    const [won, lost] = method === "PATCH" ? [200, 412] : [204, 404];
    expect(statuses).toEqual([won, ...Array.from({ length: 7 }, () => lost)]);
  });
});

describe("a list of entity tags", () => {
  const opaque = fc.stringMatching(/^[!#-~]{0,12}$/);
  const tag = fc.record({ weak: fc.boolean(), opaque });

  test("reads back as it was written", () => {
    fc.assert(
      fc.property(
        fc.array(tag, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(",", ", ", " ,\t", ", ,"),
        (tags, by) => {
          const text = tags.map((one) => `${one.weak ? "W/" : ""}"${one.opaque}"`).join(by);
          expect(parseEntityTags("If-Match", text)).toEqual(tags.map((one) => one.opaque));
        },
      ),
    );
  });

  test("is read in time that grows with its length only", () => {
    for (const text of [`${" ".repeat(16_000)}x`, ",".repeat(16_000), `"${"a".repeat(16_000)}`, '"a" '.repeat(4000)]) {
      expect(() => parseEntityTags("If-Match", text)).toThrow(/entity tags/);
    }
  });
});

import { AppError } from "@postern/core";
import { defaultLimits } from "@postern/rest";
import { parseIdempotencyKey } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

const draft = { title: "Hello", body: "World" };
const day = 24 * 3600 * 1000;

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const ada = await api.user("ada");
  const create = (key: string | undefined, options: Partial<Parameters<Api["call"]>[2]> & { path?: string } = {}) =>
    api.call("POST", options.path ?? "/users/me/posts", {
      token: ada.token,
      body: draft,
      ...options,
      headers: { "idempotency-key": key, ...options.headers },
    });
  const count = async (): Promise<number> =>
    (await api.call("GET", "/users/me/posts", { token: ada.token })).body.data.length;
  return { ...api, ada, create, count };
};

describe("a POST with an Idempotency-Key", () => {
  test("takes effect once and is answered the same again, and says so", async () => {
    const { create, count } = await scene();
    const first = await create('"key-1"');
    const again = await create('"key-1"');
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty("idempotency-replayed");
    expect(again).toEqual({ ...first, headers: { ...first.headers, "idempotency-replayed": "true" } });
    expect((await create("key-1")).body).toEqual(first.body);
    expect(await count()).toBe(1);
  });

  test("is refused with 422 when the request is another one", async () => {
    const { create, count } = await scene();
    await create("key-1");
    for (const other of [{ body: { ...draft, title: "Other" } }, { path: "/users/me/posts?fields=title" }]) {
      const { status, body } = await create("key-1", other);
      expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
    }
    expect(await count()).toBe(1);
  });

  test("does not repeat an administrator's answer to a caller who is no longer one", async () => {
    const { call, admin } = await scene();
    const [root, other] = [await admin(), await admin("other-admin")];
    const note = () =>
      call("PATCH", `/users/${root.id}`, {
        token: root.token,
        body: { phone: "1" },
        headers: { "if-match": "*", "idempotency-key": "key-1" },
      });
    expect((await note()).status).toBe(200);
    const demote = { token: other.token, body: { role: "user" }, headers: { "if-match": "*" } };
    expect((await call("PATCH", `/users/${root.id}`, demote)).status).toBe(200);
    const { status, body } = await note();
    expect([status, body.code]).toEqual([403, "forbidden"]);
  });

  test("counts anew for another caller, version or operation", async () => {
    const { create, count, user, call, ada } = await scene();
    const bob = await user("bob");
    const older = { title: "Hello", content: "World" };
    const made = await create("key-1");
    expect((await create("key-1", { token: bob.token })).headers).not.toHaveProperty("idempotency-replayed");
    expect((await create("key-1", { version: "v1", body: older })).headers).not.toHaveProperty("idempotency-replayed");
    const headers = { "idempotency-key": "key-1" };
    const comment = await call("POST", `/posts/${made.body.id}/comments`, {
      token: ada.token,
      body: { body: "Nice" },
      headers,
    });
    expect(comment.status).toBe(201);
    expect(await count()).toBe(2);
  });

  test("is told to wait while the first one is being answered", async () => {
    const { create, count } = await scene();
    const replies = await Promise.all(Array.from({ length: 8 }, () => create("key-1")));
    const busy = replies.filter(({ status }) => status === 409);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(busy).toHaveLength(7);
    for (const { body, headers } of busy) {
      expect([body.code, headers["retry-after"]]).toEqual(["idempotency_in_progress", "1"]);
    }
    expect((await create("key-1")).status).toBe(201);
    expect(await count()).toBe(1);
  });

  test("is remembered for a day", async () => {
    const { create, ports, call, ada } = await scene();
    await create("key-1");
    await ports.clock.advance(day - 1);
    // The access token is over, the session is not.
    const renewed = await call("POST", "/sessions/refresh", { body: { refresh_token: ada.refresh } });
    const token = renewed.body.access_token;
    expect((await create("key-1", { token })).headers["idempotency-replayed"]).toBe("true");
    await ports.clock.advance(1);
    expect((await create("key-1", { token })).headers).not.toHaveProperty("idempotency-replayed");
    await ports.clock.advance(day + 1);
    expect(await ports.storage.answers.purge(ports.clock.now(), 1000)).toBe(1);
  });

  test("replays a business refusal, and forgets every other one", async () => {
    const { call, create, count } = await scene();
    const user = { name: "Bob", email: "ada@example.com", password: "correct horse battery" };
    const headers = { "idempotency-key": "key-1" };
    const taken = await call("POST", "/users", { body: user, headers });
    const again = await call("POST", "/users", { body: user, headers });
    expect([taken.status, again.status, again.headers["idempotency-replayed"]]).toEqual([409, 409, "true"]);
    expect(again.body).toEqual(taken.body);
    expect((await create("key-2", { body: {} })).status).toBe(400);
    expect((await create("key-2")).status).toBe(201);
    expect(await count()).toBe(1);
  });

  test("without a caller belongs to the address, and is replayed to the very same request only", async () => {
    const { call } = await scene();
    const headers = { "idempotency-key": "sign-up" };
    const user = { name: "Bob", email: "bob@example.com", password: "correct horse battery" };
    const first = await call("POST", "/users", { body: user, headers });
    expect((await call("POST", "/users", { body: user, headers })).body).toEqual(first.body);
    const guessed = await call("POST", "/users", { body: { ...user, password: "another password" }, headers });
    expect(guessed.body.code).toBe("idempotency_key_reused");
    const elsewhere = await call("POST", "/users", { body: user, headers, address: "192.0.2.99" });
    expect(elsewhere.body.code).toBe("conflict");
  });

  test("is not replayed to who may not do it any more", async () => {
    const { create, call, ada, admin } = await scene();
    const root = await admin();
    await create("key-1");
    await call("DELETE", "/sessions/current", { token: ada.token });
    expect((await create("key-1")).status).toBe(401);
    const post = await call("POST", `/users/${root.id}/posts`, { token: root.token, body: draft });
    const comment = (token: string) =>
      call("POST", `/posts/${post.body.id}/comments`, {
        token,
        body: { body: "Nice" },
        headers: { "idempotency-key": "key-2" },
      });
    expect((await comment(root.token)).status).toBe(201);
    await call("DELETE", `/posts/${post.body.id}`, { token: root.token });
    expect((await comment(root.token)).status).toBe(404);
  });

  test("tells the storage which network writes, and the same for a refusal that is kept", async () => {
    const { call, ada, create, ports } = await scene();
    const networks: (string | undefined)[] = [];
    const { transaction } = ports.storage;
    Object.assign(ports.storage, {
      transaction: (...[work, origin]: Parameters<typeof transaction>) => {
        networks.push(origin?.network);
        return transaction(work, origin);
      },
    });
    await create("key-1", { address: "2001:db8::1" });
    const taken = { name: "Bea", email: "ada@example.com", password: "correct horse battery" };
    const options = { address: "203.0.113.9", headers: { "idempotency-key": "key-2" } };
    const { status } = await call("POST", "/users", { token: ada.token, body: taken, ...options });
    expect(status).toBe(409);
    expect(networks).toEqual(["2001:db8:0:0::/64", "203.0.113.9", "203.0.113.9"]);
  });

  test("leaves nothing readable in the store", async () => {
    const { create, ports } = await scene();
    const seen: string[] = [];
    const { transaction } = ports.storage;
    Object.assign(ports.storage, {
      transaction: (work: Parameters<typeof transaction>[0]) =>
        transaction(({ answers, ...stores }, own) =>
          work(
            {
              ...stores,
              answers: {
                ...answers,
                keep: (kept) => {
                  seen.push(JSON.stringify(kept));
                  return answers.keep(kept);
                },
              },
            },
            own,
          ),
        ),
    });
    await create("key-1");
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toMatch(/Hello|World|key-1|title/);
  });

  test("keeps neither effect nor answer when the commit fails, so that a retry does it", async () => {
    const { create, count, ports } = await scene();
    const { transaction } = ports.storage;
    let faults = 1;
    Object.assign(ports.storage, {
      transaction: (work: Parameters<typeof transaction>[0]) =>
        transaction(async (stores, own) => {
          const result = await work(stores, own);
          if (faults-- > 0) throw new AppError("unavailable");
          return result;
        }),
    });
    expect((await create("key-1")).status).toBe(503);
    const retry = await create("key-1");
    expect([retry.status, retry.headers["idempotency-replayed"]]).toEqual([201, undefined]);
    expect(await count()).toBe(1);
  });

  test("is answered from what was kept when the outcome of the commit was not known", async () => {
    const { create, count, ports } = await scene();
    const { transaction } = ports.storage;
    let faults = 1;
    Object.assign(ports.storage, {
      transaction: async (work: Parameters<typeof transaction>[0]) => {
        const result = await transaction(work);
        if (faults-- > 0) throw new AppError("unavailable");
        return result;
      },
    });
    const made = await create("key-1");
    expect([made.status, made.headers["idempotency-replayed"]]).toEqual([201, "true"]);
    expect(await count()).toBe(1);
  });

  test("leaves no secret readable in the store", async () => {
    const { call, ada, ports } = await scene();
    const headers = { "idempotency-key": "key-1" };
    const kept: string[] = [];
    const { transaction } = ports.storage;
    Object.assign(ports.storage, {
      transaction: (work: Parameters<typeof transaction>[0]) =>
        transaction(({ answers, ...stores }, own) => {
          const keep: typeof answers.keep = (answer) => {
            kept.push(answer.sealed);
            return answers.keep(answer);
          };
          return work({ ...stores, answers: { ...answers, keep } }, own);
        }),
    });
    const body = { name: "k", scopes: ["posts:read"] };
    const made = await call("POST", "/api-keys", { token: ada.token, body, headers });
    const renewed = await call("POST", "/sessions/refresh", { body: { refresh_token: ada.refresh }, headers });
    for (const secret of [made.body.key, renewed.body.access_token, renewed.body.refresh_token]) {
      expect(secret).toMatch(/./);
      expect(kept.join()).not.toContain(secret);
    }
    expect(kept).toHaveLength(2);
  });

  test("answers a lost exchange of a refresh token long after, until its successor is used or the session ends", async () => {
    const { call, ada, ports, user } = await scene();
    const exchange = (refresh_token: string, key?: string) =>
      call("POST", "/sessions/refresh", { body: { refresh_token }, headers: { "idempotency-key": key } });
    const first = await exchange(ada.refresh, "key-1");
    await ports.clock.advance(600_000);
    expect((await exchange(ada.refresh, "key-1")).body).toEqual(first.body);
    const second = await exchange(first.body.refresh_token);
    expect((await exchange(ada.refresh, "key-1")).body.code).toBe("invalid_token");
    // It was a copy.
    expect((await exchange(second.body.refresh_token)).body.code).toBe("invalid_token");
    const bob = await user("bob");
    const kept = await exchange(bob.refresh, "key-2");
    await call("DELETE", "/sessions/current", { token: kept.body.access_token });
    expect((await exchange(bob.refresh, "key-2")).status).toBe(401);
  });

  test("lets many people of one network sign in at the same moment", async () => {
    const { call } = testApi({
      settings: { limits: { ...defaultLimits, "sign-in": { limit: 99, windowMs: 60_000 } } },
    });
    const credentials = { email: "ada@example.com", password: "correct horse battery" };
    await call("POST", "/users", { body: { name: "Ada", ...credentials } });
    const signIn = (_none: unknown, n: number) =>
      call("POST", "/sessions", { body: credentials, headers: { "idempotency-key": `key-${n}` } });
    const answers = await Promise.all(Array.from({ length: 60 }, signIn));
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
  });
});

describe("a DELETE with an Idempotency-Key", () => {
  test("is answered as before when it is repeated, and 404 without the key", async () => {
    const { create, call, ada } = await scene();
    const made = await create(undefined);
    const remove = (key: string | undefined) =>
      call("DELETE", `/posts/${made.body.id}`, {
        token: ada.token,
        headers: { "if-match": made.headers.etag, "idempotency-key": key },
      });
    expect((await remove("key-1")).status).toBe(204);
    const again = await remove("key-1");
    expect([again.status, again.headers["idempotency-replayed"]]).toEqual([204, "true"]);
    expect((await remove(undefined)).status).toBe(404);
  });
});

describe("a PATCH with an Idempotency-Key", () => {
  test("is replayed though its If-Match is used up", async () => {
    const { create, call, ada } = await scene();
    const made = await create(undefined);
    const patch = (title = "Changed") =>
      call("PATCH", `/posts/${made.body.id}`, {
        token: ada.token,
        body: { title },
        headers: { "if-match": made.headers.etag, "idempotency-key": "key-1" },
      });
    const first = await patch();
    const again = await patch();
    expect([first.status, again.status, again.headers["idempotency-replayed"]]).toEqual([200, 200, "true"]);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect((await patch("Other")).status).toBe(422);
  });

  test("that was refused for its precondition can be tried again", async () => {
    const { create, call, ada } = await scene();
    const made = await create(undefined);
    const patch = (match: string) =>
      call("PATCH", `/posts/${made.body.id}`, {
        token: ada.token,
        body: { title: "Changed" },
        headers: { "if-match": match, "idempotency-key": "key-1" },
      });
    expect((await patch('"9.x"')).status).toBe(412);
    expect((await patch(made.headers.etag ?? "")).status).toBe(200);
  });

  test("replays a wrong move of state", async () => {
    const { create, call, ada } = await scene();
    const made = await create(undefined);
    const patch = (status: string, key: string) =>
      call("PATCH", `/posts/${made.body.id}`, {
        token: ada.token,
        body: { status },
        headers: { "idempotency-key": key },
      });
    expect((await patch("archived", "key-1")).body.code).toBe("state_conflict");
    await patch("published", "key-2");
    expect((await patch("archived", "key-1")).headers["idempotency-replayed"]).toBe("true");
  });
});

describe("the Idempotency-Key header", () => {
  test.each([
    ['"abc"', "abc"],
    ["abc", "abc"],
    ['"a"', "a"],
    ['  "a b"  ', "a b"],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    [`"${"x".repeat(255)}"`, "x".repeat(255)],
  ])("takes %s", (value, key) => {
    expect(parseIdempotencyKey(value)).toBe(key);
  });

  test.each([
    "",
    '""',
    '"abc',
    'abc"',
    "a b",
    '"a", "b"',
    "a,b",
    '"é"',
    '"a\\x"',
    "x".repeat(256),
    ":YWJj:;a=1",
    '"a\tb"',
  ])("refuses %s", async (value) => {
    const { create } = await scene();
    const { status, body } = await create(value);
    expect([status, body.code, body.errors[0].header]).toEqual([400, "malformed_header", "Idempotency-Key"]);
  });
});

describe("what one user has kept under keys", () => {
  const most = 2_000_000;
  const bounded = async () => {
    const api = testApi({ settings: { keptAnswerBytes: most } });
    const [ada, bob] = [await api.user("ada"), await api.user("bob")];
    const create = ({ token }: typeof ada, key: string | undefined) =>
      api.call("POST", "/users/me/posts", {
        token,
        body: { title: "Long", body: "x".repeat(9_000) },
        headers: { "idempotency-key": key },
      });
    /** Sends until a request is refused, and returns the refusal. */
    const untilRefused = async () => {
      for (let sent = 0; sent < 200; sent += 1) {
        const answer = await create(ada, `key-${sent}`);
        if (answer.status !== 201) return { answer, sent };
      }
      throw new Error("nothing was refused");
    };
    return { ...api, ada, bob, create, untilRefused };
  };

  test("is bounded, also where nothing else is: further keys are refused with 429 and have no effect", async () => {
    const { call, ada, bob, create, untilRefused } = await bounded();
    const { answer, sent } = await untilRefused();
    expect([answer.status, answer.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(60);
    const { data } = (await call("GET", "/users/me/posts?limit=100", { token: ada.token })).body;
    expect(data).toHaveLength(sent);
    const again = await create(ada, "key-0");
    expect([again.status, again.headers["idempotency-replayed"]]).toEqual([201, "true"]);
    expect((await create(ada, undefined)).status).toBe(201);
    expect((await create(bob, "key-0")).status).toBe(201);
  });

  test("counts only what is kept: a request that has no effect gives its room back", async () => {
    const { call, ada, create, untilRefused } = await bounded();
    const { body: post } = await create(ada, undefined);
    for (let sent = 0; sent < 20; sent += 1) {
      const headers = { "idempotency-key": `bad-${sent}` };
      const stale = await call("PATCH", `/posts/${post.id}`, {
        token: ada.token,
        body: { title: "a" },
        headers: { ...headers, "if-match": '"9.x"' },
      });
      expect(stale.status).toBe(412);
    }
    expect((await create(ada, "first")).status).toBe(201);
    const { sent } = await untilRefused();
    expect(sent).toBeGreaterThan(10);
  });
});

import { builtInVersions, createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Client,
  type ClientOptions,
  createClient,
  type DeprecationNotice,
  etagOf,
  items,
  signIn,
} from "../src/index.ts";

const running = new Set<HttpServer>();
afterEach(async () => {
  await Promise.all([...running].map((server) => server.close({ graceMs: 0 })));
  running.clear();
});

interface Served {
  readonly origin: string;
  readonly token: string;
  readonly id: string;
  readonly ports: MemoryPorts;
}

const credentials = { email: "ada@example.com", password: "correct horse battery" };

const serve = async (): Promise<Served> => {
  const ports = memoryPorts();
  const server = createHttpServer(createApp({ versions: builtInVersions, ports, settings: { rateLimits: "off" } }));
  running.add(server);
  const { url: origin } = await server.listen();
  const client = createClient({ origin, version: "v2" });
  const made = await client.POST("/users", { body: { name: "Ada", ...credentials } });
  const signedIn = await client.POST("/sessions", { body: credentials });
  return { origin, ports, id: String(made.data?.id), token: String(signedIn.data?.access_token) };
};

/** What the suite below needs from a version, in that version's own names. */
interface Dialect {
  create(title: string, text: string): Promise<{ id: string; text: string | undefined }>;
  rewrite(id: string, text: string): Promise<string | undefined>;
  text(id: string): Promise<string | undefined>;
  titles(): Promise<(string | undefined)[]>;
}

const inV1 = (client: Client<"v1">, user: string): Dialect => ({
  create: async (title, text) => {
    const { data } = await client.POST("/users/{id}/posts", {
      params: { path: { id: user } },
      body: { title, content: text },
    });
    return { id: String(data?.id), text: data?.content };
  },
  rewrite: async (id, text) =>
    (await client.PATCH("/posts/{id}", { params: { path: { id } }, body: { content: text } })).data?.content,
  text: async (id) => (await client.GET("/posts/{id}", { params: { path: { id } } })).data?.content,
  titles: async () => {
    const titles = [];
    const pages = items((cursor) =>
      client.GET("/users/{id}/posts", {
        params: { path: { id: user }, query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    );
    for await (const { title } of pages) titles.push(title);
    return titles;
  },
});

const inV2 = (client: Client<"v2">, user: string): Dialect => ({
  create: async (title, text) => {
    const { data } = await client.POST("/users/{id}/posts", {
      params: { path: { id: user } },
      body: { title, body: text },
    });
    return { id: String(data?.id), text: data?.body };
  },
  rewrite: async (id, text) => {
    const read = await client.GET("/posts/{id}", { params: { path: { id } } });
    const params = { path: { id }, header: { "If-Match": etagOf(read) } };
    return (await client.PATCH("/posts/{id}", { params, body: { body: text } })).data?.body;
  },
  text: async (id) => (await client.GET("/posts/{id}", { params: { path: { id } } })).data?.body,
  titles: async () => {
    const titles = [];
    const pages = items((cursor) =>
      client.GET("/users/{id}/posts", {
        params: { path: { id: user }, query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } },
      }),
    );
    for await (const { title } of pages) titles.push(title);
    return titles;
  },
});

const dialects = {
  v1: ({ origin, token, id }: Served) => inV1(createClient({ origin, version: "v1", token }), id),
  v2: ({ origin, token, id }: Served) => inV2(createClient({ origin, version: "v2", token }), id),
};

describe.each(["v1", "v2"] as const)("through the client, %s", (version) => {
  test("creates, reads and rewrites a post", async () => {
    const posts = dialects[version](await serve());
    const { id, text } = await posts.create("On Engines", "first");
    expect(text).toBe("first");
    expect(await posts.rewrite(id, "second")).toBe("second");
    expect(await posts.text(id)).toBe("second");
  });

  test("reads what the other version wrote", async () => {
    const served = await serve();
    const [here, there] = [dialects[version](served), dialects[version === "v1" ? "v2" : "v1"](served)];
    const { id } = await there.create("T", "from the other");
    expect(await here.text(id)).toBe("from the other");
    await here.rewrite(id, "from here");
    expect(await there.text(id)).toBe("from here");
  });

  test("goes through a list of several pages, each item once", async () => {
    const posts = dialects[version](await serve());
    const titles = ["A", "B", "C", "D", "E"];
    for (const title of titles) await posts.create(title, "text");
    expect(await posts.titles()).toEqual(titles);
  });
});

describe("the client", () => {
  test("reports what will be removed, and nothing else", async () => {
    const { origin, token } = await serve();
    const notices: DeprecationNotice[] = [];
    const client = createClient({ origin, version: "v1", token, onDeprecation: (notice) => void notices.push(notice) });
    const read = (field: "name" | "subscription_status") =>
      client.GET("/users/{id}", { params: { path: { id: "me" }, query: { fields: [field] } } });
    await read("name");
    expect(notices).toEqual([]);
    await read("subscription_status");
    expect(notices).toMatchObject([
      { method: "GET", sunsetAt: new Date("2027-11-30"), more: ["/api/deprecations/user-subscription-status"] },
    ]);
  });

  /** A network that loses answers, or refuses, in this order; then it works. */
  const faulty = (faults: readonly ("lost" | number)[]) => {
    const sent: Request[] = [];
    const waited: number[] = [];
    const left = [...faults];
    const options: Pick<ClientOptions<"v2">, "fetch" | "sleep"> = {
      sleep: async (milliseconds) => void waited.push(milliseconds),
      fetch: async (request) => {
        sent.push(request.clone());
        const fault = left.shift();
        if (typeof fault === "number") return new Response("{}", { status: fault, headers: { "retry-after": "3" } });
        const answer = await fetch(request);
        if (fault === "lost") throw new TypeError("the connection broke");
        return answer;
      },
    };
    return { options, sent, waited };
  };

  test("sends a POST again under the same key when the answer was lost, to one effect", async () => {
    const { origin, token, id } = await serve();
    const { options, sent, waited } = faulty(["lost"]);
    const client = createClient({ origin, version: "v2", token, ...options });
    const path = { id };
    const made = await client.POST("/users/{id}/posts", { params: { path }, body: { title: "Once", body: "text" } });
    expect(made.response.status).toBe(201);
    expect(new Set(sent.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
    expect(waited).toEqual([250]);
    const { data } = await client.GET("/users/{id}/posts", { params: { path } });
    expect(data?.data).toHaveLength(1);
  });

  test("waits as long as the server asks for, and gives up in the end", async () => {
    const { origin, token } = await serve();
    const { options, sent, waited } = faulty([503, 429, 503]);
    const client = createClient({ origin, version: "v2", token, ...options });
    const { response } = await client.GET("/users/{id}", { params: { path: { id: "me" } } });
    expect(response.status).toBe(503);
    expect({ tries: sent.length, waited }).toEqual({ tries: 3, waited: [3000, 3000] });
  });

  test("does not send a DELETE again when its answer was lost", async () => {
    const { origin, token } = await serve();
    const { options, sent } = faulty(["lost"]);
    const client = createClient({ origin, version: "v2", token, ...options });
    const params = { path: { id: "current" } };
    await expect(client.DELETE("/sessions/{id}", { params })).rejects.toThrow("broke");
    expect(sent).toHaveLength(1);
  });
});

test("a list of values reaches the server as it was given, commas and all", async () => {
  const { origin, token } = await serve();
  const client = createClient({ origin, version: "v2", token });
  const titles = ["Smith, John", "50%2C off", "plain", "a+b & c"];
  for (const title of titles) await client.POST("/posts", { body: { title, body: "." } });
  const found = async (query: object) =>
    (await client.GET("/posts", { params: { query: { sort: ["created_at"], ...query } } })).data?.data.map(
      ({ title }) => title,
    );
  expect(await found({ "filter[title][in]": titles })).toEqual(titles);
  expect(await found({ "filter[title][in]": ["Smith, John", "plain"] })).toEqual(["Smith, John", "plain"]);
  expect(await found({ "filter[title][nin]": ["Smith, John", "50%2C off"] })).toEqual(["plain", "a+b & c"]);
});

describe("a credential", () => {
  test("that is empty counts as none: no header is sent", async () => {
    const sent: (string | null)[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      sent.push(request.headers.get("authorization"));
      return new Response("{}", { headers: { "content-type": "application/json" } });
    };
    for (const token of ["", () => "", () => undefined, "t"] as const) {
      await createClient({ origin: "http://test", version: "v2", token, fetch }).GET("/posts");
    }
    expect(sent).toEqual([null, null, null, "Bearer t"]);
  });

  test("of a sign-in is refreshed before it expires, once for all that ask, and ends with the sign-out", async () => {
    const { origin, ports } = await serve();
    const session = await signIn({ origin, ...credentials, now: () => ports.clock.now() });
    const client = createClient({ origin, version: "v2", token: session.token });
    const read = async () => (await client.GET("/posts")).response.status;
    const first = await session.token();
    expect([await session.token(), await read()]).toEqual([first, 200]);
    await ports.clock.advance(580_000);
    const [one, other] = await Promise.all([session.token(), session.token()]);
    expect(one).not.toBe(first);
    expect([other, await read()]).toEqual([one, 200]);
    expect(await session.refresh()).not.toBe(one);
    await session.signOut();
    expect(await read()).toBe(401);
    await expect(session.refresh()).rejects.toMatchObject({ code: "invalid_token" });
  });

  test("that is wrong is refused with the server's problem", async () => {
    const { origin } = await serve();
    await expect(signIn({ origin, ...credentials, password: "wrong horse" })).rejects.toMatchObject({
      code: "invalid_credentials",
    });
  });
});

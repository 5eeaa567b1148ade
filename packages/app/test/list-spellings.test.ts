import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

let api: Api;
let token: string;
let admin: string;

beforeAll(async () => {
  api = testApi({ settings: { rateLimits: "off" } });
  ({ token } = await api.user("ada"));
  ({ token: admin } = await api.admin());
  for (const title of ["A", "B", "C, with a comma", "A"]) {
    const made = await api.call("POST", "/posts", { token, body: { title, body: "Text" } });
    await api.call("POST", `/posts/${made.body.id}/comments`, { token, body: { body: title } });
  }
});

/** Names and values of lists, right and wrong ones, as they stand in a query. */
const lists: Readonly<Record<string, readonly string[]>> = {
  fields: ["id", "title", "body", "content", "user_id", "nothing", ""],
  sort: ["title", "-title", "created_at", "-id", "nothing", ""],
  include: ["author", "comments", "comments.author", "nothing", ""],
  "fields[users]": ["id", "name", "nothing", ""],
  "filter[title][in]": ["A", "B", "C%2C with a comma", ""],
  "filter[status][nin]": ["draft", "published", "nothing", ""],
  "filter[created_at][in]": ["2026-01-31", "2026-01-31T12:00:00Z", "nothing"],
};

/** A list, cut into the parts in which it is repeated. */
const cut = fc.constantFrom(...Object.keys(lists)).chain((name) =>
  fc
    .array(fc.array(fc.constantFrom(...(lists[name] ?? [])), { minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 3,
    })
    .map((parts) => ({ name, parts: parts.map((part) => part.join(",")) })),
);

const answerTo = async (target: string, version: string, by: string) => {
  const { status, body } = await api.call("GET", target, { token: by, version });
  return { status, body };
};

test("a list that is repeated means the same as one with commas, in each version, right or wrong", async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(cut, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
      fc.constantFrom("v1", "v2"),
      async (asked, version) => {
        const whole = asked.map(({ name, parts }) => `${name}=${parts.join(",")}`);
        // The parts of one list stand apart, with those of other lists between them.
        const repeated = [0, 1, 2].flatMap((place) =>
          asked.flatMap(({ name, parts }) => (parts[place] === undefined ? [] : [`${name}=${parts[place]}`])),
        );
        const expected = await answerTo(`/posts?${whole.join("&")}`, version, token);
        const answer = await answerTo(`/posts?${repeated.join("&")}`, version, token);
        statuses.add(expected.status);
        const pathless = ({ body, ...rest }: typeof answer) => ({ ...rest, body: { ...body, instance: undefined } });
        expect(pathless(answer)).toEqual(pathless(expected));
      },
    ),
    { numRuns: 300 },
  );
  expect([...statuses].toSorted()).toEqual([200, 400]);
});

test("each parameter that a document describes as a list is taken in both spellings", async () => {
  for (const { id } of api.app.versions) {
    const { paths } = (await api.call("GET", "/openapi.json", { version: id })).body;
    const { components } = (await api.call("GET", "/openapi.json", { version: id })).body;
    const parameterOf = (one: { $ref?: string; name?: string }) =>
      one.$ref === undefined ? one : components.parameters[one.$ref.split("/").at(-1) ?? ""];
    let seen = 0;
    for (const [path, { get }] of Object.entries<{ get?: { parameters?: { $ref?: string }[] } }>(paths)) {
      for (const { name, schema } of (get?.parameters ?? []).map(parameterOf)) {
        if (schema.type !== "array") continue;
        const [first = "x", second = first] = schema.items.enum ?? ["x"];
        const target = path.replaceAll(/\{\w+\}/g, "me");
        const reply = await api.call("GET", `${target}?${name}=${first}&${name}=${second}`, {
          token: admin,
          version: id,
        });
        reply.stream?.end();
        const faults: { code: string }[] = reply.body?.errors ?? [];
        expect(
          faults.filter(({ code }) => code === "repeated"),
          `${id} ${path} ${name}`,
        ).toEqual([]);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(100);
  }
});

test("a parameter that is not a list may be given once only", async () => {
  for (const query of ["limit=1&limit=1", "filter[status]=draft&filter[status]=draft", "total=true&total=true"]) {
    const { status, body } = await api.call("GET", `/posts?${query}`, { token });
    expect([status, body.errors[0].code], query).toEqual([400, "repeated"]);
  }
});

test("the kinds of the feed are a list, in any order", async () => {
  for (const query of ["kind=job,event", "kind=job&kind=event"]) {
    const { status, stream } = await api.call("GET", `/admin/feed?${query}`, { token: admin });
    stream?.end();
    expect(status, query).toBe(200);
  }
  expect((await api.call("GET", "/admin/feed?kind=event,nothing", { token: admin })).status).toBe(400);
});

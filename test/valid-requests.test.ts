import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { fetchHandler } from "@postern/http/fetch";
import { writtenOut } from "@postern/rest/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Schema = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
type Document = any;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** Texts of the formats, with the meaning that the documents give them. */
const byFormat: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uuid: fc.uuid({ version: 7 }),
  email: fc.stringMatching(/^[a-z][a-z0-9]{0,8}@[a-z]{1,8}\.(com|org)$/),
  date: fc
    .date({ min: new Date("2000-01-01"), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  "date-time": fc
    .date({ min: new Date("2000-01-01"), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  uri: fc.constant("https://example.com/"),
};

/** Values that a schema accepts. */
const valuesOf = (schema: Schema, document: Document, depth = 0): fc.Arbitrary<unknown> => {
  if (typeof schema.$ref === "string") {
    return valuesOf(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""], document, depth);
  }
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return fc.oneof(...branches.map((branch: Schema) => valuesOf(branch, document, depth)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(...types.map((type: unknown) => ofType(type, schema, document, depth)));
};

const ofType = (type: unknown, schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> => {
  const number = (name: string, otherwise: number) => (typeof schema[name] === "number" ? schema[name] : otherwise);
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: Math.max(number("minimum", -9), -1e9), max: Math.min(number("maximum", 99), 1e9) });
    case "number":
      return fc.integer({
        min: Math.ceil(number("minimum", -9)),
        max: Math.min(Math.floor(number("maximum", 99)), 1e9),
      });
    case "string":
      return texts(schema);
    case "array":
      return fc.array(isSchema(schema.items) ? valuesOf(schema.items, document, depth + 1) : fc.boolean(), {
        minLength: number("minItems", 0),
        maxLength: Math.min(number("maxItems", 3), 3),
      });
    case "object":
      return objects(schema, document, depth);
    default:
      return fc.constantFrom("text", 1, true, null);
  }
};

const texts = (schema: Schema): fc.Arbitrary<unknown> => {
  const [min, max] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 40)];
  const format = byFormat[String(schema.format)];
  if (format !== undefined) return format;
  if (typeof schema.pattern === "string") {
    return fc
      .stringMatching(new RegExp(schema.pattern), { size: "small" })
      .filter((text) => text.length >= min && text.length <= max);
  }
  return fc
    .string({ minLength: min, maxLength: Math.min(max, min + 12), unit: "grapheme" })
    .filter((text) => text.length >= min && text.length <= max);
};

const objects = (schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> => {
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    // A request does not contain read-only members (OpenAPI 3.1, JSON Schema validation 9.4).
    .filter(([, member]) => member.readOnly !== true)
    .map(([name, member]) => [name, valuesOf(member, document, depth + 1)] as const);
  const named = fc.record(Object.fromEntries(members), {
    requiredKeys: members.map(([name]) => name).filter((name) => required.has(name)),
  });
  if (!isSchema(schema.additionalProperties)) return named;
  const more = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    valuesOf(schema.additionalProperties, document, depth + 1),
    { maxKeys: 2 },
  );
  return fc.tuple(named, more).map(([one, other]) => ({ ...other, ...one }));
};

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly explode?: boolean;
  readonly schema: Schema;
}

/**
 * Values of the parameters by their index; `undefined` for those that are left out. Operations with
 * many parameters get few at once.
 */
const parameterValues = (parameters: readonly Parameter[], document: Document): fc.Arbitrary<readonly unknown[]> => {
  const optional = parameters.filter(({ required }) => !required).length;
  return fc.tuple(
    ...parameters.map(({ schema, required }) => {
      const values = valuesOf(schema, document);
      const none = { arbitrary: fc.constant(undefined), weight: Math.max(optional - 3, 1) };
      return required ? values : fc.oneof({ arbitrary: values, weight: 2 }, none);
    }),
  );
};

const encoded = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((one) => encodeURIComponent(String(one))).join(",")
    : encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : String(value));

interface Sent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** An app in memory, called over HTTP. */
const served = (version: string) => {
  const app = createApp({ versions: builtInVersions, ports: memoryPorts(), settings: { rateLimits: "off" } });
  const handle = fetchHandler(app);
  const send = async (
    method: string,
    path: string,
    { token, body, headers = {}, type = "application/json" }: Sent = {},
  ) => {
    const response = await handle(
      new Request(`http://test/api/${version}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": type }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    // These would go on for ten minutes.
    if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
      await response.body?.cancel();
      return { status: response.status, body: undefined };
    }
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  };
  return { app, send };
};

type Served = ReturnType<typeof served>;
const password = "correct horse battery";
const principal = { kind: "operator", name: "test" } as const;
let people = 0;

const signedUp = async ({ send }: Served) => {
  people += 1;
  const email = `someone${people}@example.com`;
  const { id } = (await send("POST", "/users", { body: { name: "Someone", email, password } })).body;
  const { access_token: token, refresh_token: refresh } = (
    await send("POST", "/sessions", { body: { email, password } })
  ).body;
  return { id: String(id), token: String(token), refresh: String(refresh) };
};

const text = (version: string, value: string) => (version === "v1" ? { content: value } : { body: value });

/** The id of one row of each kind, by the beginning of its path. */
const thingsOf = async ({ send }: Served, version: string) => {
  const { id, token } = await signedUp({ send } as Served);
  const post = (await send("POST", `/users/${id}/posts`, { token, body: { title: "T", ...text(version, "text") } }))
    .body;
  const comment = (await send("POST", `/posts/${post.id}/comments`, { token, body: text(version, "text") })).body;
  return { token, ids: { "/users/": id, "/posts/": post.id, "/comments/": comment.id, "/admin/": "1" } };
};

/** Requests for each operation. The suite may take eight seconds for both versions. */
const runs = 6;
const seed = Number(process.env.POSTERN_REQUESTS_SEED ?? Date.now() % 1_000_000);

/** The codes of the faults in a 400, or its own code. */
const codesOf = ({ code, errors }: { code: string; errors?: { code: string }[] }): readonly string[] =>
  errors === undefined || errors.length === 0 ? [code] : errors.map((fault) => fault.code);

describe.each(["v1", "v2"])("in %s, a request that is valid by the document", (version) => {
  test("gets 400 only with a code that its operation lists", async () => {
    const server = served(version);
    const document: Document = writtenOut(JSON.parse(JSON.stringify(server.app.openApi(version))));
    const failed: string[] = [];
    const taken = new Set<string>();
    const refused = new Map<string, string>();
    for (const [path, methods] of Object.entries<Document>(document.paths)) {
      for (const [method, operation] of Object.entries<Document>(methods)) {
        if (path === "/webhooks/{provider}") continue;
        const parameters: readonly Parameter[] = operation.parameters;
        const [type, media] = Object.entries<Document>(operation.requestBody?.content ?? {})[0] ?? [];
        const requests = fc.record({
          values: parameterValues(parameters, document),
          body: media === undefined ? fc.constant(undefined) : valuesOf(media.schema, document),
          asAdmin: fc.boolean(),
        });
        const things = await thingsOf(server, version);
        // Each operation has users of its own, because some requests end sessions and accounts.
        const admin = await signedUp(server);
        await server.app.run({
          operation: "users.update",
          principal,
          params: { id: admin.id },
          body: { role: "admin" },
        });
        for (const { values, body, asAdmin } of fc.sample(requests, { numRuns: runs, seed })) {
          let target = path;
          const query: string[] = [];
          const headers: Record<string, string> = {};
          for (const [index, { in: place, name }] of parameters.entries()) {
            const value = values[index];
            if (value === undefined) continue;
            const known = Object.entries(things.ids).find(([start]) => path.startsWith(start))?.[1];
            if (place === "path") target = target.replace(`{${name}}`, known ?? encoded(value));
            else if (place === "query") query.push(`${encodeURIComponent(name)}=${encoded(value)}`);
            else headers[name] = String(value);
          }
          const needsAdmin = path.startsWith("/admin/");
          const answer = await server.send(
            method.toUpperCase(),
            query.length === 0 ? target : `${target}?${query.join("&")}`,
            {
              token: needsAdmin || asAdmin ? admin.token : things.token,
              body,
              headers,
              ...(type === undefined ? {} : { type }),
            },
          );
          if (answer.status >= 500) failed.push(`${operation.operationId} ${query.join("&")} ${JSON.stringify(body)}`);
          if (answer.status < 400) taken.add(operation.operationId);
          if (answer.status !== 400) continue;
          const listed: readonly string[] = operation["x-checked-after-schema"] ?? [];
          const told = codesOf(answer.body);
          if (listed.includes(answer.body.code) || told.every((code) => listed.includes(code))) continue;
          refused.set(
            `${operation.operationId} ${answer.body.code} ${told}`,
            `${query.join("&")} ${JSON.stringify(headers)} ${JSON.stringify(body)}: ${JSON.stringify(answer.body.detail)}`,
          );
        }
      }
    }
    expect(Object.fromEntries(refused), `seed ${seed}`).toEqual({});
    expect(failed, `seed ${seed}`).toEqual([]);
    // Some requests must pass the checks: a suite of refusals only would prove nothing.
    expect([...taken].length, "operations that did what they were asked to").toBeGreaterThan(25);
  }, 60_000);
});

import { type App, type AppOptions, builtInVersions, createApp } from "@postern/app";
import type { Answer, AnswerStream } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { type Method, pathParameters, versionOf } from "@postern/rest";
import { writtenOut } from "@postern/rest/internal";
import { expect } from "vitest";
import { AnswerContract, type ReceivedAnswer } from "./answer-contract.ts";
import { auditedStorage } from "./audited-storage.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; tests look into it freely. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of answers whose shape it asserts
  readonly body: any;
  /** What an operation wrote itself: a page, a feed. */
  readonly text: string | undefined;
  readonly stream: AnswerStream | undefined;
}

export interface Api {
  readonly ports: MemoryPorts;
  readonly app: App;
  call(
    method: Method,
    target: string,
    options?: {
      token?: string;
      body?: unknown;
      version?: string;
      headers?: Record<string, string | undefined>;
      address?: string;
      /** The path before that of the operation. Default: `/api/` and the version. */
      base?: string;
    },
  ): Promise<Reply>;
  /** Signs up and signs in. */
  user(name: string): Promise<{ id: string; token: string; refresh: string }>;
  admin(name?: string): Promise<{ id: string; token: string }>;
}

/** The OpenAPI document of a version, with its shared parts in each operation. */
export const documentOf = async (call: Api["call"], version: string): Promise<Reply["body"]> =>
  writtenOut((await call("GET", "/openapi.json", { version })).body);

const reply = (answer: Answer): Reply => ({
  status: answer.status,
  headers: answer.headers ?? {},
  body: answer.body,
  text: answer.text,
  stream: answer.stream,
});

/** As an HTTP adapter would send it. */
const sent = (answer: Answer): ReceivedAnswer => {
  const text =
    answer.stream !== undefined
      ? ": a piece\n\n"
      : (answer.text ?? (answer.body === undefined ? "" : JSON.stringify(answer.body)));
  const type = text === "" ? {} : { "content-type": "application/json" };
  return { status: answer.status, headers: Object.entries({ ...type, ...answer.headers }), text };
};

const match = (pattern: string, path: string): Record<string, string> | undefined => {
  const values = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, "([^/]+)")}$`).exec(path);
  if (values === null) return undefined;
  return Object.fromEntries(pathParameters(pattern).map((name, index) => [name, values[index + 1] ?? ""]));
};

/**
 * v2 requires the revision that a write is about. This is for tests to which it does not matter.
 */
const matchesAnything = (method: Method, version: string): Record<string, string> =>
  version !== "v1" && ["PUT", "PATCH", "DELETE"].includes(method) ? { "if-match": "*" } : {};

/**
 * The app in memory, called by method and path as an HTTP adapter would call it. Every answer must
 * agree with the OpenAPI document of its version.
 */
export const testApi = (
  options: Partial<AppOptions> = {},
  instead: Partial<MemoryPorts> = {},
  make: typeof createApp = createApp,
): Api => {
  const ports = memoryPorts(instead);
  const app = make({
    ports: { ...ports, storage: auditedStorage(ports.storage) },
    versions: builtInVersions,
    ...options,
  });
  const usual = app.versions.length === 1 ? "v1" : "v2";
  const declares =
    ["resources", "operations", "versions", "deprecations", "parts"].some((name) => name in options) ||
    options.settings?.outsideIssuer !== undefined
      ? "something"
      : "nothing";

  const call: Api["call"] = async (
    method,
    target,
    { token, body, version = usual, headers = {}, address = "192.0.2.1", base = `/api/${version}` } = {},
  ) => {
    const url = new URL(target, "http://test");
    const requested = versionOf(app.versions, version);
    const candidates = requested.operations
      .filter((operation) => operation.method === method)
      .flatMap((operation) => {
        const params = match(operation.path, url.pathname);
        return params === undefined ? [] : [{ operation, params }];
      });
    // `/sessions/refresh` before `/sessions/{id}`, like every router.
    const [found] = candidates.toSorted((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
    if (found === undefined) throw new Error(`no operation for ${method} ${target}`);
    const { "last-event-id": lastEventId } = headers;
    const accepting = headers.accept === undefined ? {} : { accepted: headers.accept };
    const answer = await app.handle({
      ...found,
      facts: {
        id: "request-1",
        version: requested,
        base,
        target: `${base}${target}`,
        address,
        ...accepting,
        ...(lastEventId === undefined ? {} : { lastEventId }),
      },
      query: Array.from(url.searchParams, ([name, value], place) => {
        const raw = url.search.slice(1).split("&")[place] ?? "";
        return [
          name,
          value,
          raw
            .slice(raw.indexOf("=") + 1)
            .split(",")
            .map(decodeURIComponent),
        ];
      }),
      body: async () => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        return text === undefined ? undefined : { value: JSON.parse(text), text };
      },
      headers: { ...matchesAnything(method, version), ...headers },
      credential: token,
    });
    AnswerContract.of(app, version, declares).check(method, url.pathname, sent(answer));
    return reply(answer);
  };

  const user: Api["user"] = async (name) => {
    const email = `${name}@example.com`;
    const password = "correct horse battery";
    const made = await call("POST", "/users", { body: { name, email, password } });
    expect(made.status).toBe(201);
    const signedIn = await call("POST", "/sessions", { body: { email, password } });
    expect(signedIn.status).toBe(201);
    return { id: made.body.id, token: signedIn.body.access_token, refresh: signedIn.body.refresh_token };
  };

  return {
    ports,
    app,
    call,
    user,
    admin: async (name = "admin") => {
      const { id, token } = await user(name);
      const principal = { kind: "operator", name: "test" } as const;
      await app.run({ operation: "users.update", principal, params: { id }, body: { role: "admin" } });
      return { id, token };
    },
  };
};

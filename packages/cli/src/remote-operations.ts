import type { AnswerStream } from "@postern/core";
import { z } from "zod";
import type { OperationCall, OperationId, Operations } from "./operations.ts";
import { type ChosenServer, CommandError, exitCodeOf, exitCodes, type Terminal } from "./terminal.ts";

/** A server that says nothing for so long is not waited for. */
const timeoutMs = 60_000;

const versions = z.object({ latest: z.string() });
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const operation = z.object({ operationId: z.string(), "x-postern-confirm": z.string().optional() });
const problem = z.object({ code: z.string(), detail: z.string().optional(), title: z.string().optional() });

interface Route {
  readonly method: string;
  /** Below the address of the server, with `{name}` for each parameter. */
  readonly path: string;
  /** What the operation asks first. */
  readonly question?: string | undefined;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** `fetch` says only that it failed; its cause says why. */
const whyOf = (thrown: unknown): string => {
  const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return Object(cause).code ?? message;
};

/** @throws CommandError if no whole answer comes. */
const request = async ({ url, token }: ChosenServer, { method, path }: Route, body?: unknown): Promise<Reply> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept: "application/json, application/problem+json",
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        // As on the database: whatever the row is now.
        ...(["PUT", "PATCH", "DELETE"].includes(method) ? { "if-match": "*" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key is for this server alone.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : undefined };
  } catch (thrown) {
    throw new CommandError(exitCodes.unreachable, `The server ${url} does not answer (${whyOf(thrown)}).`);
  }
};

/** @throws CommandError for an answer that is none of Postern's API, and for a refusal. */
const bodyOf = ({ status, body }: Reply, { url }: ChosenServer, { inOptions }: Terminal): unknown => {
  if (status >= 200 && status < 300) return body;
  const { success, data } = problem.safeParse(body);
  if (!success)
    throw new CommandError(
      status >= 500 ? exitCodes.unreachable : exitCodes.failed,
      `${url} answered ${status}, not as Postern does. Is it the address of the server, with its base path?`,
    );
  const said = data.detail ?? data.title ?? data.code;
  throw new CommandError(
    exitCodeOf({ status, code: data.code }),
    `${inOptions?.(said) ?? said} [${data.code}]`,
    data.code,
  );
};

/** A heartbeat comes every 15 s. */
const silentMs = 45_000;

const streamFrom = async (server: ChosenServer, { path }: Route, terminal: Terminal): Promise<AnswerStream> => {
  const controller = new AbortController();
  let timer = setTimeout(() => controller.abort(), silentMs);
  const unreachable = (thrown: unknown): CommandError =>
    new CommandError(exitCodes.unreachable, `The server ${server.url} does not answer (${whyOf(thrown)}).`);
  const { url, token } = server;
  const headers = { accept: "text/event-stream, application/problem+json", authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { headers, redirect: "manual", signal: controller.signal }).catch(
    (thrown: unknown) => {
      clearTimeout(timer);
      throw unreachable(thrown);
    },
  );
  if (response.status !== 200 || response.body === null) {
    const text = await response.text();
    clearTimeout(timer);
    const isJson = response.headers.get("content-type")?.startsWith("application/problem+json") === true;
    bodyOf({ status: response.status, body: isJson ? JSON.parse(text) : undefined }, server, terminal);
    throw unreachable(new Error(`it answered ${response.status}`));
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let isEnded = false;
  return {
    next: async () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), silentMs);
      try {
        const { done, value } = await reader.read();
        return done ? undefined : decoder.decode(value, { stream: true });
      } catch (thrown) {
        if (isEnded) return undefined;
        throw unreachable(thrown);
      } finally {
        if (isEnded) clearTimeout(timer);
      }
    },
    end: () => {
      isEnded = true;
      clearTimeout(timer);
      controller.abort();
    },
  };
};

/** The operations of the newest version, as the server's own OpenAPI document has them. */
const readRoutes = async (server: ChosenServer, terminal: Terminal): Promise<ReadonlyMap<string, Route>> => {
  const get = async (path: string): Promise<unknown> =>
    bodyOf(await request(server, { method: "GET", path }), server, terminal);
  const unknown = new CommandError(exitCodes.failed, `${server.url} is not the address of a Postern server.`);
  const listed = versions.safeParse(await get("/api"));
  if (!listed.success) throw unknown;
  const base = `/api/${listed.data.latest}`;
  const described = document.safeParse(await get(`${base}/openapi.json`));
  if (!described.success) throw unknown;
  const routes = new Map<string, Route>();
  for (const [path, item] of Object.entries(described.data.paths)) {
    for (const [method, described] of Object.entries(item)) {
      const { data } = operation.safeParse(described);
      if (data === undefined) continue;
      const { operationId: id, "x-postern-confirm": question } = data;
      routes.set(id, { method: method.toUpperCase(), path: `${base}${path}`, question });
    }
  }
  return routes;
};

/** Runs operations on a running server, over its HTTP API, as the user of the key. */
export const remoteOperations = (server: ChosenServer, terminal: Terminal): Operations => {
  let routes: Promise<ReadonlyMap<string, Route>> | undefined;
  /** @throws CommandError if the server has no such operation. */
  const routeOf = async (id: OperationId): Promise<Route> => {
    routes ??= readRoutes(server, terminal);
    const route = (await routes).get(id);
    if (route !== undefined) return route;
    throw new CommandError(
      exitCodes.usage,
      `${server.url} has no operation ${id}: it is older than this command line, or it runs without that part.`,
    );
  };
  const pathOf = async ({ operation: id, params, query = {} }: OperationCall): Promise<Route> => {
    const { method, path } = await routeOf(id);
    const values = new Map<string, unknown>(Object.entries(params ?? {}));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values.get(name) ?? "")),
    );
    const search = new URLSearchParams(query).toString();
    return { method, path: search === "" ? filled : `${filled}?${search}` };
  };
  return {
    // The server answers as its contract says. An older one may lack members.
    run: async (call) => bodyOf(await request(server, await pathOf(call), call.body), server, terminal) as never,
    stream: async (call) => streamFrom(server, await pathOf(call), terminal),
    question: async (id) => (await routeOf(id)).question,
  };
};

import type { DirectCall } from "@postern/rest";
import { z } from "zod";
import { type ChosenServer, CommandError, exitCodeOf, exitCodes, type Terminal } from "./terminal.ts";

/** A server that says nothing for so long is not waited for. */
const timeoutMs = 60_000;

const versions = z.object({ latest: z.string() });
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const operation = z.object({ operationId: z.string() });
const problem = z.object({ code: z.string(), detail: z.string().optional(), title: z.string().optional() });

interface Route {
  readonly method: string;
  /** Below the address of the server, with `{name}` for each parameter. */
  readonly path: string;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

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
    const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const why = Object(cause).code ?? message;
    throw new CommandError(exitCodes.unreachable, `The server ${url} does not answer (${why}).`);
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
      if (data !== undefined) routes.set(data.operationId, { method: method.toUpperCase(), path: `${base}${path}` });
    }
  }
  return routes;
};

/** Runs operations on a running server, over its HTTP API, as the user of the key. */
export const remoteOperations = (server: ChosenServer, terminal: Terminal) => {
  let routes: Promise<ReadonlyMap<string, Route>> | undefined;
  return {
    /** @throws CommandError for a refusal, and where the server has no such operation. */
    run: async ({ operation: id, params = {}, query = {}, body }: Omit<DirectCall, "principal">): Promise<unknown> => {
      routes ??= readRoutes(server, terminal);
      const route = (await routes).get(id);
      if (route === undefined)
        throw new CommandError(
          exitCodes.usage,
          `${server.url} has no operation ${id}: it is older than this command line, or it runs without that part.`,
        );
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
      const search = new URLSearchParams(query).toString();
      const whole = { method: route.method, path: search === "" ? path : `${path}?${search}` };
      return bodyOf(await request(server, whole, body), server, terminal);
    },
  };
};

import { useEffect, useRef, useState } from "preact/hooks";
import type { Address, Method, Operation, Readable } from "./address.ts";
import { bodyOf, Problem, problemOf, request } from "./problem.ts";
import { accessToken, apiAddress, signIns } from "./session.ts";

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: {
    readonly next_cursor: string | null;
    readonly total?: number;
    readonly total_is_minimum?: boolean;
  };
}

type AnswerOf<Operations, Verb extends keyof Operations> = Operations[Verb] extends Operation
  ? Operations[Verb]["answer"]
  : never;
type BodyOf<Operations, Verb extends keyof Operations> = Operations[Verb] extends Operation
  ? Operations[Verb]["body"]
  : never;

interface Sent<Body> {
  readonly body?: Body | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The entity tag of the version that may be changed. Default: any version. */
  readonly tag?: string | undefined;
}

/** Sends it with the token that is valid now. @throws Problem once the session has ended. */
const send = async (method: Method, path: string, { body, signal, tag = "*" }: Sent<unknown>, fresh = false) => {
  const token = await accessToken(fresh);
  if (token === undefined) throw new Problem(401, "signed_out", "Your session has ended.");
  const response = await request(apiAddress(path), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "PATCH" || method === "DELETE" || method === "PUT" ? { "if-match": tag } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { response, answer: await bodyOf(response) };
};

/** A new token mends the first. For the second, the server names another version with the new token. */
const isMendedByRenewal = ({ status, code }: Problem): boolean => status === 401 || code === "version_retired";

let writtenAt = Number.NEGATIVE_INFINITY;
const seenWithinMs = 5_000;

/** Whether somebody has changed something here a moment ago, and waits to see it. */
export const hasJustWritten = (): boolean => performance.now() - writtenAt < seenWithinMs;

/**
 * Calls an operation of the public API, and answers with the entity tag of what it read or wrote.
 * @throws Problem for an answer that is one.
 */
export const callWithTag = async <Operations, Verb extends keyof Operations & Method>(
  method: Verb,
  path: Address<Operations>,
  sent: Sent<BodyOf<Operations, Verb>> = {},
) => {
  const told = ({ response, answer }: Awaited<ReturnType<typeof send>>) =>
    response.ok ? undefined : problemOf(response.status, answer as Parameters<typeof problemOf>[1]);
  let sentOnce = await send(method, path, sent);
  let problem = told(sentOnce);
  if (problem !== undefined && isMendedByRenewal(problem)) {
    sentOnce = await send(method, path, sent, true);
    problem = told(sentOnce);
  }
  if (problem !== undefined) throw problem;
  if (method !== "GET") writtenAt = performance.now();
  const { response, answer } = sentOnce;
  return { answer: answer as AnswerOf<Operations, Verb>, tag: response.headers.get("etag") ?? undefined };
};

/**
 * Calls an operation of the public API.
 * @throws Problem for an answer that is one.
 */
export const call = async <Operations, Verb extends keyof Operations & Method>(
  method: Verb,
  path: Address<Operations>,
  body?: BodyOf<Operations, Verb>,
  signal?: AbortSignal,
): Promise<AnswerOf<Operations, Verb>> => (await callWithTag(method, path, { body, signal })).answer;

/** The newest answers, so that a page that was seen before shows at once. */
const seen = new Map<string, unknown>();
const mostSeen = 40;

const remember = (path: string, answer: unknown): void => {
  seen.delete(path);
  seen.set(path, answer);
  for (const oldest of seen.keys()) {
    if (seen.size <= mostSeen) return;
    seen.delete(oldest);
  }
};

/** What was shown to one person must not show for the next. */
export const forgetAnswers = (): void => seen.clear();

export interface Live<Answer> {
  readonly data: Answer | undefined;
  readonly fault: Error | undefined;
  /** Reads again, now. */
  refresh(): void;
}

/**
 * What an operation answers, read again every `everyMs` while somebody looks. The last answer stays
 * while a newer one is on its way.
 */
export const useLive = <Answer>(path: Address<Readable<Answer>> | undefined, everyMs = 0): Live<Answer> => {
  const [, redraw] = useState(0);
  const kept = useRef<{ path: string | undefined; data?: Answer | undefined; fault?: Error | undefined }>({ path });
  if (kept.current.path !== path) kept.current = { path };
  kept.current.data ??= path === undefined ? undefined : (seen.get(path) as Answer | undefined);
  const again = useRef<() => void>(() => undefined);
  const session = signIns.value;
  useEffect(() => {
    if (path === undefined) return undefined;
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      clearTimeout(timer);
      try {
        if (!document.hidden || kept.current.data === undefined) {
          const data = await call("GET", path, undefined, ended.signal);
          if (ended.signal.aborted) return;
          remember(path, data);
          kept.current = { path, data };
          redraw((count) => count + 1);
        }
      } catch (thrown) {
        if (ended.signal.aborted) return;
        kept.current = { ...kept.current, fault: thrown as Error };
        redraw((count) => count + 1);
      }
      if (everyMs > 0 && !ended.signal.aborted) timer = setTimeout(() => void read(), everyMs);
    };
    again.current = () => void read();
    const onVisible = (): void => {
      if (!document.hidden && everyMs > 0) void read();
    };
    document.addEventListener("visibilitychange", onVisible);
    void read();
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [path, everyMs, session]);
  return { data: kept.current.data, fault: kept.current.fault, refresh: () => again.current() };
};

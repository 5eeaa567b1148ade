import createOpenApiClient, { type Client as OpenApiClient } from "openapi-fetch";
import { type DeprecationNotice, noticeOf } from "./deprecation-notice.ts";
import type { paths as PathsOfV1 } from "./generated/v1.ts";
import type { paths as PathsOfV2 } from "./generated/v2.ts";

interface Paths {
  readonly v1: PathsOfV1;
  readonly v2: PathsOfV2;
}

export type Version = keyof Paths;

/** A client whose paths, parameters, bodies and answers are those of one version. */
export type Client<Of extends Version> = OpenApiClient<Paths[Of]>;

export interface ClientOptions<Of extends Version> {
  /** Where the server is: `https://api.example.com`. */
  readonly origin: string;
  readonly version: Of;
  /** The access token, or how to get it; asked for with each request. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** How often a request is sent again when the server could not take it, 2 unless told. */
  readonly retries?: number;
  /** Called for each answer that says that something the request uses will go away. */
  readonly onDeprecation?: (notice: DeprecationNotice) => void;
  /** In the place of the platform's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Waits; in the place of a timer. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/** The server has not begun with it, and says so. */
const notTaken = new Set([429, 503]);

const withKey = (method: string): boolean => method === "POST" || method === "PATCH";

const timer = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

const waitFor = (response: Response | undefined, tries: number): number => {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : 250 * 2 ** tries;
};

/**
 * A client of one version of the API. Each POST and PATCH carries an idempotency key, so that sending it again after an answer was lost has no second
 * effect. A request is sent again when the server says that it did not take it (429, 503) and, where a second time changes nothing (GET, and what has a
 * key), when no answer came.
 */
export const createClient = <Of extends Version>(options: ClientOptions<Of>): Client<Of> => {
  const { origin, version, token, retries = 2, onDeprecation, sleep = timer } = options;
  const send = options.fetch ?? ((request) => globalThis.fetch(request));

  const once = async (request: Request): Promise<Response | undefined> => {
    try {
      // A body can be read once; the next try needs one, too.
      return await send(request.clone());
    } catch (lost) {
      const repeatable = request.method === "GET" || request.headers.has("idempotency-key");
      if (!repeatable) throw lost;
      return undefined;
    }
  };

  const sendAgain = async (request: Request): Promise<Response> => {
    for (let tries = 0; tries < retries; tries += 1) {
      const response = await once(request);
      if (response !== undefined && !notTaken.has(response.status)) return response;
      await sleep(waitFor(response, tries));
    }
    return send(request);
  };

  return createOpenApiClient<Paths[Of]>({
    baseUrl: `${origin}/api/${version}`,
    fetch: async (request) => {
      const credential = typeof token === "function" ? await token() : token;
      if (credential !== undefined) request.headers.set("authorization", `Bearer ${credential}`);
      if (withKey(request.method) && !request.headers.has("idempotency-key")) {
        request.headers.set("idempotency-key", crypto.randomUUID());
      }
      const response = await sendAgain(request);
      const notice = noticeOf(request.method, response);
      if (notice !== undefined) onDeprecation?.(notice);
      return response;
    },
  });
};

import createOpenApiClient, { type Client as OpenApiClient } from "openapi-fetch";
import { type DeprecationNotice, noticeOf } from "./deprecation-notice.ts";
import type { paths as PathsOfV1 } from "./generated/v1.ts";
import type { paths as PathsOfV2 } from "./generated/v2.ts";
import type { NarrowedMethod } from "./narrowed.ts";

interface Paths {
  readonly v1: PathsOfV1;
  readonly v2: PathsOfV2;
}

export type Version = keyof Paths;

/** The methods whose answers hold rows. */
interface RowMethods<Own> {
  readonly GET: NarrowedMethod<Own, "get">;
  readonly PUT: NarrowedMethod<Own, "put">;
  readonly POST: NarrowedMethod<Own, "post">;
  readonly PATCH: NarrowedMethod<Own, "patch">;
}

/**
 * A client with these paths, parameters, bodies and answers, which `postern client` writes. Rows in
 * answers have all their members unless the request names `fields`.
 */
export type ClientOf<Own extends object> = Omit<OpenApiClient<Own>, keyof RowMethods<Own>> & RowMethods<Own>;

/** A client of one version of a server without resources of its own. */
export type Client<Of extends Version> = ClientOf<Paths[Of]>;

export interface ClientOptions<Of extends string> {
  /** The server's origin: `https://api.example.com`. */
  readonly origin: string;
  readonly version: Of;
  /**
   * The access token, or how to get it; asked for with each request. Without a token, or with an
   * empty one, the request is anonymous.
   */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** How often a request is sent again if the server could not take it. Default 2. */
  readonly retries?: number;
  /** Called for each answer that announces the removal of something that the request uses. */
  readonly onDeprecation?: (notice: DeprecationNotice) => void;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Waits; replaces a timer. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/** With these statuses, the server says that it has not started the request. */
const notTaken = new Set([429, 503]);

const withKey = (method: string): boolean => method === "POST" || method === "PATCH";

const timer = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

const waitFor = (response: Response | undefined, tries: number): number => {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : 250 * 2 ** tries;
};

/** Makes a typed client for one version of a server without resources of its own; see `clientOf`. */
export const createClient = <Of extends Version>(options: ClientOptions<Of>): Client<Of> =>
  clientOf<Paths[Of]>(options);

/**
 * Makes a typed client for one version of an API with these paths. Each POST and PATCH carries an idempotency key.
 * So if an answer is lost, sending the request again has no second effect.
 *
 * A request is sent again if the server says that it did not take it (429, 503). It is also sent
 * again if no answer came, but only if a second time changes nothing: GET, and requests with a key.
 */
export const clientOf = <Own extends object>(options: ClientOptions<string>): ClientOf<Own> => {
  const { origin, version, token, retries = 2, onDeprecation, sleep = timer } = options;
  const send = options.fetch ?? ((request) => globalThis.fetch(request));

  const once = async (request: Request): Promise<Response | undefined> => {
    try {
      // A body can be read only once, and the next try needs it again.
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

  const client: unknown = createOpenApiClient<Own>({
    baseUrl: `${origin}/api/${version}`,
    // `fields=id,title`, as the documents have it.
    querySerializer: { array: { style: "form", explode: false } },
    fetch: async (request) => {
      const credential = typeof token === "function" ? await token() : token;
      // An empty token counts as no token: a header without one would be refused as malformed.
      if (credential !== undefined && credential !== "") request.headers.set("authorization", `Bearer ${credential}`);
      if (withKey(request.method) && !request.headers.has("idempotency-key")) {
        request.headers.set("idempotency-key", crypto.randomUUID());
      }
      const response = await sendAgain(request);
      const notice = noticeOf(request.method, response);
      if (notice !== undefined) onDeprecation?.(notice);
      return response;
    },
  });
  // The same methods. Only their types say more.
  return client as ClientOf<Own>;
};

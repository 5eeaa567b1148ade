import type { Exchange } from "./exchange.ts";
import type { Answer, ApiVersion, Operation } from "./http-app.ts";

/** One path that Postern answers, for routers. */
export interface Endpoint {
  /** The path below the root, with parameters in braces: `/api/v2/posts/{id}`. */
  readonly path: string;
  /** True if it takes webhooks. */
  readonly inbox: boolean;
  /** True if it may take a form. */
  readonly form?: boolean;
  /**
   * Answers a request that came to this path. Head and method have been checked already.
   * @throws AppError when the request is refused; CallerGone when its caller went away.
   */
  answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<Answer>;
}

/** One path of the API and the operations it has. */
export interface ApiRoute {
  /** The path below the root, with parameters in braces: `/api/v2/posts/{id}`. */
  readonly path: string;
  /** The same for the log, without the version. */
  readonly template: string;
  /** `/api` or `/api/v2`: the part in front of an operation's own path. */
  readonly base: string;
  readonly version: ApiVersion;
  readonly operations: ReadonlyMap<string, Operation>;
  /** Takes any bytes: its requests go to the inbox. */
  readonly inbox: boolean;
  /** The methods it answers, HEAD and OPTIONS included. */
  readonly methods: readonly string[];
}

/**
 * Every route of the API, made from the operation table. Each operation stands below every version
 * and below `/api`, where it answers as the default version. Operations without a version stand
 * below `/api` only.
 */
export const routesOf = (versions: readonly ApiVersion[], defaultVersion: ApiVersion): readonly ApiRoute[] => {
  const bases = [
    { base: "/api", version: defaultVersion, mounted: defaultVersion.operations },
    ...versions.map((version) => ({
      base: `/api/${version.id}`,
      version,
      mounted: version.operations.filter((operation) => operation.unversioned !== true),
    })),
  ];
  return bases.flatMap(({ base, version, mounted }) =>
    [...byPath(mounted)].map(([path, onPath]) => {
      const inbox = onPath.some((operation) => operation.body === "raw");
      return {
        path: below(base, path),
        template: below("/api", path),
        base,
        version,
        operations: new Map(onPath.map((operation) => [operation.method, operation])),
        inbox,
        methods: methodsOf(onPath, inbox),
      };
    }),
  );
};

const byPath = (operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> => {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const onPath = paths.get(operation.path);
    if (onPath === undefined) paths.set(operation.path, [operation]);
    else onPath.push(operation);
  }
  return paths;
};

/** Strict: `/` below `/api` is `/api`, and nothing else ends in a slash. */
const below = (base: string, path: string): string => (path === "/" ? base : `${base}${path}`);

const methodsOf = (operations: readonly Operation[], inbox: boolean): readonly string[] => {
  const methods = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  // Senders' handshakes come as GET, too (or HEAD, where only the status counts).
  return [...(inbox ? ["GET", "HEAD"] : []), ...methods, "OPTIONS"];
};

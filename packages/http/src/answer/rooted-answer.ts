import type { Answer } from "../http-app.ts";

/** Attributes of pages and feeds that lead to a path of Postern. */
const links = /\b(href|src|data-base)="(?=\/api[/"?])/g;

/**
 * Adds the root below which Postern is mounted to the paths in an answer. The app knows only its
 * own paths. The same answer may be given below another root, for example one that is kept under an
 * idempotency key. `Location` and `Link` have the root already: the app makes them from the target
 * of the request.
 */
export const rootedAnswer = (root: string, answer: Answer): Answer => {
  if (root === "") return answer;
  if (answer.text !== undefined) return { ...answer, text: rootedText(root, answer.text) };
  const { body } = answer;
  if (typeof body !== "object" || body === null) return answer;
  if ("request_id" in body && "code" in body && "type" in body) return { ...answer, body: rootedProblem(root, body) };
  return "versions" in body ? { ...answer, body: { ...body, versions: rooted(root, body.versions) } } : answer;
};

/** A page or a feed; or the index or an OpenAPI document, which the app keeps as text. */
const rootedText = (root: string, text: string): string => {
  if (text.startsWith('{"latest"')) return text.replaceAll(/(":\s*")(?=\/api[/?])/g, `$1${root}`);
  return text.startsWith('{"openapi"')
    ? text
        .replace(/"servers":\s*\[[^\]]*\]/, (servers) => servers.replaceAll(/("url":\s*")(?=\/api)/g, `$1${root}`))
        .replaceAll(/("x-deprecation":\s*")(?=\/api\/)/g, `$1${root}`)
    : text.replace(links, `$1="${root}`);
};

interface Problem {
  readonly type: unknown;
  readonly instance?: unknown;
  readonly detail?: unknown;
  readonly deprecation?: unknown;
}

const namedRequest = /\b((?:GET|POST|PUT|PATCH|DELETE) )(?=\/api\b)/g;

const rootedProblem = (root: string, problem: Problem): object => ({
  ...problem,
  type: withRoot(root, problem.type),
  instance: withRoot(root, problem.instance),
  ...(typeof problem.detail === "string" ? { detail: problem.detail.replaceAll(namedRequest, `$1${root}`) } : {}),
  ...("deprecation" in problem ? { deprecation: withRoot(root, problem.deprecation) } : {}),
});

/** Adds the root to every path of Postern among the members of the objects in a list. */
const rooted = (root: string, list: unknown): unknown =>
  Array.isArray(list)
    ? list.map((entry: object) =>
        Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, withRoot(root, value)])),
      )
    : list;

const withRoot = (root: string, value: unknown): unknown =>
  typeof value === "string" && /^\/api(?=[/?]|$)/.test(value) ? root + value : value;

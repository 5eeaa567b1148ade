import type { App } from "@postern/app";
import { AnswerContract, type ReceivedAnswer } from "../../../app/test/answer-contract.ts";

const plainFetch = globalThis.fetch;
const served = new Map<string, App>();
/** The one that was served last: its document describes problems like every other's. */
let latest: App | undefined;

/** Answers of the app at this origin are checked from now on. */
export const checkAnswersOf = (url: string, app: App): void => {
  served.set(url, app);
  latest = app;
};

/** What answers at an origin, or at a port of this machine. */
export const appAt = (origin: string): App | undefined => served.get(origin);

/**
 * Asserts that an answer is what the OpenAPI document of the version that gave it says. Paths without a version are those of the version that answered;
 * of what is outside the API, or no request at all, only problems are checked.
 */
export const checkAnswer = (
  app: App,
  request: { readonly method: string; readonly path: string } | undefined,
  answer: ReceivedAnswer,
): void => {
  // What balancers ask is no part of the API and answers in a form of its own.
  if (request?.path.startsWith("/health/") === true) return;
  const version = new Map(answer.headers).get("api-version");
  const newest = app.versions.at(-1);
  const contract = AnswerContract.of(app, version ?? newest?.id ?? "");
  if (request === undefined || version === undefined) contract.checkProblem(request?.path ?? "a request", answer);
  else if (request.method !== "OPTIONS" || answer.status >= 400) {
    contract.check(request.method, request.path.replace(/^\/api(?:\/v\d+)?(?=\/|$)/, ""), answer);
  }
};

/** Asserts of a problem, whatever it is about, that it is one as the document of the app that was served last describes it. */
export const checkProblem = (answer: ReceivedAnswer): void => {
  const type = new Map(answer.headers).get("content-type");
  if (latest !== undefined && type === "application/problem+json") checkAnswer(latest, undefined, answer);
};

/** `fetch`, but every answer of a served app must be what its own OpenAPI document says. */
const checkedFetch: typeof fetch = async (input, init) => {
  const answer = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : String(input));
  const app = served.get(url.origin);
  if (app === undefined) return answer;
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  const text = await answer.clone().text();
  checkAnswer(app, { method, path: url.pathname }, { status: answer.status, headers: answer.headers, text });
  return answer;
};

globalThis.fetch = checkedFetch;

import type { CheckAnswer } from "@postern/http/testing";
import { AnswerContract } from "../../../app/test/answer-contract.ts";

/**
 * Asserts that an answer is what the OpenAPI document of the version that gave it says. Paths
 * without a version are those of the version that answered. Outside the API, and where there was no
 * request, only problems are checked. The applications of the contract suites all have the same
 * document.
 */
export const checkAnswer: CheckAnswer = (app, request, answer) => {
  // Health checks are not part of the API, and their answers have a form of their own.
  if (request?.path.startsWith("/health/") === true) return;
  const version = new Map(answer.headers).get("api-version");
  const newest = app.versions.at(-1);
  const contract = AnswerContract.of(app, version ?? newest?.id ?? "", "nothing");
  if (request === undefined || version === undefined) contract.checkProblem(request?.path ?? "a request", answer);
  else if (request.method !== "OPTIONS" || answer.status >= 400) {
    contract.check(request.method, request.path.replace(/^\/api(?:\/v\d+)?(?=\/|$)/, ""), answer);
  }
};

import type { OperationAnswer } from "./operation.ts";

/** RFC 7240, section 4.2. If two disagree, the first counts (section 2). */
const returned =
  /(?:^|,)[ \t]*return[ \t]*=[ \t]*(?:"(minimal|representation)"|(minimal|representation))[ \t]*(?=[,;]|$)/i;

/**
 * Shortens the answer to a write if the caller prefers that: without the row, which they already
 * know.
 */
export const preferredAnswer = (answer: OperationAnswer, prefer: string | undefined): OperationAnswer => {
  if (prefer === undefined || answer.status >= 300) return answer;
  const [, inQuotes, plain] = returned.exec(prefer) ?? [];
  const wish = (inQuotes ?? plain)?.toLowerCase();
  if (wish === undefined) return answer;
  const headers = { ...answer.headers, "preference-applied": `return=${wish}` };
  if (wish === "representation") return { ...answer, headers };
  return { status: answer.status === 200 ? 204 : answer.status, headers };
};

import { exceedsJson, isObject } from "@postern/core/parts";
import type { LongWork } from "../limits/long-work.ts";
import type { Steps } from "../openapi/steps.ts";

/** A shorter answer takes less than a millisecond. */
const longBytes = 256 * 1024;

/**
 * The JSON text of an answer's body. A long list is written row by row in short turns, so that
 * other requests are answered in between. The text is the one that `JSON.stringify` makes.
 */
export const writeJson = (longWork: LongWork, network: string, body: unknown): string | Promise<string> => {
  const rows = isObject(body) ? body.data : body;
  return Array.isArray(rows) && exceedsJson(rows, longBytes)
    ? longWork.finish(network, listSteps(body, rows))
    : JSON.stringify(body);
};

function* listSteps(body: unknown, rows: readonly unknown[]): Steps<string> {
  const written: string[] = [];
  for (const row of rows) {
    written.push(JSON.stringify(row));
    yield;
  }
  const list = `[${written.join(",")}]`;
  if (!isObject(body)) return list;
  const members = Object.entries(body).filter(([, value]) => value !== undefined);
  return `{${members
    .map(([name, value]) => `${JSON.stringify(name)}:${value === rows ? list : JSON.stringify(value)}`)
    .join(",")}}`;
}

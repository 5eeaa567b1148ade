import { exceedsJson, isObject, type LongWork } from "@postern/core/internal";
import type { Steps } from "../limits/steps.ts";

/** Answers of fewer bytes take less than a millisecond to write. */
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
  const { before, behind } = textAround(body);
  written[0] = before + written[0];
  written.push(`${written.pop()}${behind}`);
  // All rows are put together once. Each further copy of 8 MiB would take milliseconds.
  return written.join(",");
}

/** What a body has before and behind the rows of its list, brackets included. */
const textAround = (body: unknown): { readonly before: string; readonly behind: string } => {
  const empty = isObject(body) ? JSON.stringify({ ...body, data: [] }) : "[]";
  const opened = isObject(body) ? '"data":[' : "[";
  const at = empty.indexOf(`${opened}]`) + opened.length;
  return { before: empty.slice(0, at), behind: empty.slice(at) };
};

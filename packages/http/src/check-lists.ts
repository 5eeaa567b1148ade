import { AppError } from "@postern/core";
import type { HttpRequest } from "./http-request.ts";
import { headerOf } from "./raw-headers.ts";

/**
 * Browsers send about ten. Reading a thousand takes milliseconds, and strangers may send such
 * requests.
 */
const mostMembers = 100;

/** Headers whose lists are read whole, with the names for answers. */
const lists = {
  accept: "Accept",
  "accept-encoding": "Accept-Encoding",
  "if-match": "If-Match",
  "if-none-match": "If-None-Match",
};

const names = Object.keys(lists) as (keyof typeof lists)[];

/**
 * Refuses a request whose headers have lists that are too long to be read.
 * @throws AppError `malformed_header`.
 */
export const checkLists = (request: Pick<HttpRequest, "headers">): void => {
  for (const name of names) {
    const value = headerOf(request, name);
    if (value === undefined || value.length <= mostMembers || !hasMore(value)) continue;
    const header = lists[name];
    throw new AppError("malformed_header", {
      detail: `The list in ${header} has more than ${mostMembers} members; send fewer.`,
      faults: [{ header, code: "too_many", detail: `send at most ${mostMembers} members` }],
    });
  }
};

const hasMore = (list: string): boolean => {
  let commas = 0;
  for (let at = list.indexOf(","); at !== -1; at = list.indexOf(",", at + 1)) {
    commas += 1;
    if (commas >= mostMembers) return true;
  }
  return false;
};

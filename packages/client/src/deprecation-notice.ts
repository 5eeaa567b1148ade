import { linksOf } from "./links.ts";

/** What the server announces about something that this request uses and that will be removed. */
export interface DeprecationNotice {
  readonly method: string;
  readonly url: string;
  readonly deprecatedAt: Date;
  readonly sunsetAt: Date | undefined;
  /** Pages that say what to do. */
  readonly more: readonly string[];
}

/** The notice in an answer (RFC 9745, RFC 8594); `undefined` if it has none. */
export const noticeOf = (method: string, { url, headers }: Response): DeprecationNotice | undefined => {
  const seconds = /^@(-?\d+)$/.exec(headers.get("deprecation") ?? "")?.[1];
  if (seconds === undefined) return undefined;
  const sunset = headers.get("sunset");
  return {
    method,
    url,
    deprecatedAt: new Date(Number(seconds) * 1000),
    sunsetAt: sunset === null ? undefined : new Date(sunset),
    more: linksOf(headers.get("link"))
      .filter(({ rel }) => rel === "deprecation")
      .map(({ target }) => target),
  };
};

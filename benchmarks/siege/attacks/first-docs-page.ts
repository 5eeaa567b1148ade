import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

/**
 * The first request for the documentation after a start. It once built the pages in the middle of
 * everything else.
 */
export const firstDocsPage: Attack = {
  name: "first-docs-page",
  does: "asks for the documentation of every version right after the start",
  requirement: "R15",
  ciAlsoOn: ["mariadb"],
  seconds: 3,
  run: async ({ port, addresses, untilOver }) => {
    const paths = ["/api/v1/docs", "/api/v2/docs", "/api/v2/openapi.json", "/api/v1/openapi.json"];
    const replies = await Promise.all(
      paths.map((path, n) => send({ port, from: addresses[n] ?? "", method: "GET", path })),
    );
    await untilOver();
    return { saw: replies.map(({ status, ms }) => `${status} in ${Math.round(ms)} ms`).join(", ") };
  },
};

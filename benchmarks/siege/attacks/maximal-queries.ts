import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

const posts = 20_000;
const lanesEach = 4;
/** The greatest number of values that a filter takes is less than this. */
const values = 25;

const list = (value: (n: number) => string): string => Array.from({ length: values }, (_, n) => value(n)).join(",");
const moment = (n: number): string => `2020-01-01T00:00:00.${String(n).padStart(3, "0")}Z`;

/** As many filters as a list takes, every inclusion, every field, several sorts, and the count. */
const query = [
  "limit=100",
  "total=true",
  "sort=-title",
  "include=author,author.posts,comments,comments.author,comments.post",
  "fields=id,title,body,status,published_at,created_at,updated_at",
  `filter[title][contains]=${"0".repeat(60)}9`,
  "filter[title][starts_with]=Post",
  `filter[title][nin]=${list((n) => `title-${n}`)}`,
  `filter[id][nin]=${list((n) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`)}`,
  "filter[status][ne]=published",
  "filter[created_at][gte]=2020-01-01T00:00:00.000Z",
  "filter[created_at][lt]=2090-01-01T00:00:00.000Z",
  `filter[created_at][nin]=${list(moment)}`,
  "filter[updated_at][gte]=2020-01-01T00:00:00.000Z",
  `filter[updated_at][nin]=${list(moment)}`,
].join("&");

/** The largest query that a list takes: it reads all rows of the caller, and finds none or all. */
export const maximalQueries: Attack = {
  name: "maximal-queries",
  does: "16 connections of 4 users list 20,000 own posts each, with all that a query can hold",
  requirement: "R29",
  seconds: 4,
  accounts: 4,
  prepare: async ({ query: sql, accounts }) => {
    for (const account of accounts) await addPosts(sql, account, { count: posts, bodyBytes: 100 });
  },
  run: async ({ port, accounts, isOver }) => {
    const statuses = new Map<number, number>();
    const refusals = new Set<string>();
    let slowest = 0;
    const lane = async ({ id, authorization, address: from }: (typeof accounts)[number], n: number): Promise<void> => {
      const headers = { authorization };
      // Every other lane finds rows, and so reads what belongs to them.
      const asked =
        n % 2 === 0 ? query : query.replace(/filter\[title\]\[contains\]=[^&]*/, "filter[title][contains]=Post");
      while (!isOver()) {
        const path = `/api/v2/users/${id}/posts?${asked}`;
        const { status, ms, text } = await send({ port, from, method: "GET", path, headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 400 || (status >= 500 && status !== 503)) refusals.add(`${status} ${text.slice(0, 200)}`);
        slowest = Math.max(slowest, ms);
      }
    };
    await Promise.all(accounts.flatMap((account) => Array.from({ length: lanesEach }, (_, n) => lane(account, n))));
    const seen = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    return {
      saw: `${seen.join(", ")}; slowest ${Math.round(slowest)} ms`,
      fault: refusals.size === 0 ? undefined : [...refusals].join(", "),
    };
  },
};

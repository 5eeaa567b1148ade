import type { Command } from "commander";
import { momentOf } from "../moment.ts";
import { type Columns, type ItemOf, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { hint, type Terminal } from "../terminal.ts";

type Cause = ItemOf<"admin.causes.list">;

const percent = (share: number): string => (share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`);

const errorOf = ({ error, message, frames }: Cause): string => {
  const [place] = frames;
  const what = error === null ? message : `${error}: ${message}`;
  return place === undefined ? what : `${what}, at ${place}`;
};

const columns: Columns<Cause> = {
  cause: "id",
  failures: "failures",
  share: ({ share }) => percent(share),
  handler: "handler",
  first: "first_at",
  last: "last_at",
  event: ({ example }) => example.event_id,
  job: ({ example }) => example.job_id,
  error: errorOf,
};

const next =
  "The events of a cause: postern events list --cause <cause>; its jobs: postern jobs list --cause <cause>\n";

/** `postern causes` */
export const addCausesCommand = (causes: Command, terminal: Terminal): void => {
  withListOutput(causes, "{ items }")
    .option("--since <time>", "only failures since then: 30m, 24h, 7d or an RFC 3339 time")
    .option("--limit <n>", "the causes with most failures, 1 to 100", "20")
    .addHelpText(
      "after",
      "\nA failure counts for as long as its job is kept. EVENT and JOB are an example: the newest event that failed.",
    )
    .action(async ({ since, limit, ...output }: { since?: string; limit: string } & ListOutput) => {
      const query = { limit, ...(since === undefined ? {} : { since: momentOf("--since", since) }) };
      await withOperations(terminal, async ({ run }) => {
        const { data: items } = await run({ operation: "admin.causes.list", query });
        const tellsMore = printList(terminal, output, { items, columns });
        if (tellsMore && items.length > 0) terminal.stderr.write(hint(next, terminal));
      });
    });
};

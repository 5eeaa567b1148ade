import type { Command } from "commander";
import type { AnswerOf } from "../operations.ts";
import { withOperations } from "../session.ts";
import { CommandError, counted, exitCodes, hint, type Terminal } from "../terminal.ts";

type Health = AnswerOf<"admin.health">;

const marks = { ok: "ok  ", attention: "warn", stopped: "FAIL" } as const;

const lineOf = ({ level, text, mend }: Health["facts"][number]): string =>
  `${marks[level]}  ${text}\n${mend === null ? "" : `      mend: ${mend}\n`}`;

/** `postern status` */
export const addStatusCommand = (status: Command, terminal: Terminal): void => {
  status
    .option("--json", "print { level, sentence, facts } as JSON")
    .addHelpText(
      "after",
      "\nIt exits with 0 if all is well, and with 8 if work does not flow or somebody should look at something.",
    )
    .action(async ({ json }: { json?: boolean }) => {
      const found = await withOperations(terminal, ({ run }) => run({ operation: "admin.health" }));
      const lines = `${found.sentence}\n\n${found.facts.map(lineOf).join("")}`;
      const place = await terminal.server?.();
      if (place !== undefined) terminal.stderr.write(`On the server ${place.url}.\n`);
      terminal.stdout.write(json === true ? `${JSON.stringify(found)}\n` : hint(lines, terminal));
      const bad = found.facts.filter(({ level }) => level !== "ok").length;
      if (bad > 0) throw new CommandError(exitCodes.problems, `${counted(bad, "problem")} found.`);
    });
};

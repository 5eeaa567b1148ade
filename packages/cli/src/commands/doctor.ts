import type { Command } from "commander";
import { CommandError, counted, exitCodes, hint, type Terminal } from "../terminal.ts";
import type { Finding } from "./finding.ts";

interface DoctorFlags {
  readonly json?: boolean;
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const notes = `
With --fix it applies missing migrations, and takes files with secrets away from other users of this
machine. It asks before each change, and says of everything else why you must do it.`;

/** `postern doctor` */
export const addDoctorCommand = (doctor: Command, terminal: Terminal): void => {
  doctor
    .option("--fix", "mend what is safe to mend, and look again")
    .option("--dry-run", "with --fix: only say what it would do")
    .option("--yes", "with --fix: do it without being asked")
    .option("--json", "print { items } as JSON")
    .addHelpText("after", notes)
    .action(async ({ json = false, fix = false, dryRun = false, yes = false }: DoctorFlags) => {
      if ((json && fix) || ((dryRun || yes) && !fix)) {
        const wrong = json && fix ? "--json only looks; leave out --fix" : "--dry-run and --yes need --fix";
        throw new CommandError(exitCodes.usage, `${wrong}.`);
      }
      const { examine } = await import("./examine.ts");
      const look = async (): Promise<readonly Finding[]> => {
        const found = (await examine(terminal)).map((one) => ({ ...one, text: hint(one.text, terminal) }));
        print(found, json, terminal);
        return found;
      };
      let findings = await look();
      let refused = 0;
      if (fix && findings.some(({ ok }) => !ok)) {
        const { mend } = await import("./mend.ts");
        terminal.stdout.write("\n");
        const done = await mend(findings, { yes, dryRun }, terminal);
        refused = done.refused;
        if (done.mended > 0) {
          terminal.stdout.write("\n");
          findings = await look();
        }
      }
      if (refused > 0) throw new CommandError(exitCodes.notConfirmed, "Say --yes to mend without being asked.");
      checkFound(findings);
    });
};

const print = (findings: readonly Finding[], json: boolean, { stdout }: Terminal): void => {
  if (json) {
    const items = findings.map(({ fix, ...one }) => one);
    return void stdout.write(`${JSON.stringify({ items })}\n`);
  }
  for (const { check, ok, warning, text } of findings)
    stdout.write(`${ok ? "ok  " : warning === true ? "warn" : "FAIL"}  ${check}: ${text}\n`);
};

/** @throws CommandError if something was found. */
const checkFound = (findings: readonly Finding[]): void => {
  const found = findings.filter(({ ok }) => !ok);
  if (found.length === 0) return;
  const warnings = found.filter(({ warning }) => warning === true).length;
  const parts = [
    ...(found.length > warnings ? [counted(found.length - warnings, "problem")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  throw new CommandError(exitCodes.problems, `${parts.join(" and ")} found.`);
};

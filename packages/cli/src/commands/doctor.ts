import type { Command } from "commander";
import { CommandError, counted, exitCodes, hint, type Terminal } from "../terminal.ts";

/** `postern doctor` */
export const addDoctorCommand = (doctor: Command, terminal: Terminal): void => {
  doctor.option("--json", "print { items } as JSON").action(async ({ json }: { json?: boolean }) => {
    const { examine } = await import("./examine.ts");
    const findings = (await examine(terminal)).map((one) => ({ ...one, text: hint(one.text, terminal) }));
    terminal.stdout.write(
      json === true
        ? `${JSON.stringify({ items: findings })}\n`
        : findings
            .map(
              ({ check, ok, warning, text }) =>
                `${ok ? "ok  " : warning === true ? "warn" : "FAIL"}  ${check}: ${text}\n`,
            )
            .join(""),
    );
    const found = findings.filter(({ ok }) => !ok);
    if (found.length === 0) return;
    const warnings = found.filter(({ warning }) => warning === true).length;
    const parts = [
      ...(found.length > warnings ? [counted(found.length - warnings, "problem")] : []),
      ...(warnings > 0 ? [counted(warnings, "warning")] : []),
    ];
    throw new CommandError(exitCodes.problems, `${parts.join(" and ")} found.`);
  });
};

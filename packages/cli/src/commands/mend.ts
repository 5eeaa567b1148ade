import { chmodSync } from "node:fs";
import { withUncheckedSession } from "../session.ts";
import { isConfirmed, type Terminal } from "../terminal.ts";
import type { Finding, Fix } from "./finding.ts";

const whatOf = (fix: Fix): string =>
  fix === "migrate" ? "apply the missing migrations" : `give ${fix.file} the mode ${fix.mode.toString(8)}`;

/** Why a finding is left to a person; the text of the finding says how. */
const reasons: readonly (readonly [check: RegExp, why: string])[] = [
  [/^configuration$/, "only you know what the settings should be"],
  [/^administrator$/, "it needs a name, an address and a password of yours"],
  [/^provider /, "the key must be changed at the sender as well"],
  [/^(handler |jobs without a handler)/, "it is a matter of your code and its configuration"],
  [/^paused queues$/, "somebody paused them for a reason"],
  [/^(dead jobs|held order keys|stuck jobs|quarantined events)$/, "what runs again or is given up is your decision"],
  [/^(retention|parts left out)$/, "it decides what is deleted"],
  [/^audit log$/, "nothing can bring back what was changed"],
];

const whyLeft = (check: string): string =>
  reasons.find(([pattern]) => pattern.test(check))?.[1] ?? "it lies outside of what this command may change";

const apply = async (fix: Fix, terminal: Terminal): Promise<void> => {
  if (fix !== "migrate") return chmodSync(fix.file, fix.mode);
  await withUncheckedSession(terminal, ({ composition }) => composition.migrate());
};

/** What happened to the findings: how many were mended, and how many could have been. */
interface Mended {
  readonly mended: number;
  readonly refused: number;
}

/**
 * Mends what is safe to mend, and says for each finding what was done, or why a person must do it.
 * Without `yes` it asks before each change.
 */
export const mend = async (
  findings: readonly Finding[],
  { yes, dryRun }: { readonly yes: boolean; readonly dryRun: boolean },
  terminal: Terminal,
): Promise<Mended> => {
  const { stdout } = terminal;
  let mended = 0;
  let refused = 0;
  for (const { check, ok, fix } of findings) {
    if (ok) continue;
    if (fix === undefined) stdout.write(`left   ${check}: ${whyLeft(check)}\n`);
    else if (dryRun) stdout.write(`would  ${check}: ${whatOf(fix)}\n`);
    else if (yes || (await isConfirmed(terminal, `${check}: ${whatOf(fix)}?`))) {
      await apply(fix, terminal);
      mended += 1;
      stdout.write(`fixed  ${check}: ${whatOf(fix)}\n`);
    } else {
      refused += 1;
      stdout.write(`left   ${check}: you did not confirm to ${whatOf(fix)}\n`);
    }
  }
  return { mended, refused };
};

import { resealSecondFactors, resealSigningKeys } from "@postern/app";
import { resealStoredSecrets } from "@postern/inbox/internal";
import type { Command } from "commander";
import { noteAtTerminal, type Session, withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

/** `postern secret-key …` */
export const addSecretKeyCommands = (secretKey: Command, terminal: Terminal): void => {
  secretKey
    .command("rotate")
    .description("seal all stored secrets under POSTERN_SECRET_KEY; opens them with POSTERN_SECRET_KEY_PREVIOUS, too")
    .action(() =>
      withSession(terminal, async ({ composition, config }) => {
        if (config.previousSecretKeys.length === 0) {
          throw new CommandError(
            exitCodes.usage,
            "Set POSTERN_SECRET_KEY to the new key and POSTERN_SECRET_KEY_PREVIOUS to the former key, for the server and for this command. Nothing was changed.",
          );
        }
        const resealed = await resealAll(composition).catch((cause: unknown) => {
          throw new CommandError(
            exitCodes.failed,
            `A stored secret does not open under any of these keys (${cause instanceof Error ? cause.message : String(cause)}). The secrets that were already sealed stay sealed; set the right key and run this again.`,
          );
        });
        await noteAtTerminal(composition.ports, { action: "secret-key.rotate" });
        terminal.stdout.write(
          `${resealed} stored ${resealed === 1 ? "secret is" : "secrets are"} sealed under the new key. ` +
            "Keep POSTERN_SECRET_KEY_PREVIOUS for another day: cursors and kept answers of the old key are in use until then.\n",
        );
      }),
    );
};

/** The secrets of senders, the signing keys and the second factors, if this server has them. */
const resealAll = async ({ ports, parts }: Session["composition"]): Promise<number> =>
  (parts.includes("inbox") ? await resealStoredSecrets(ports) : 0) +
  (parts.includes("users") ? (await resealSigningKeys(ports)) + (await resealSecondFactors(ports)) : 0);

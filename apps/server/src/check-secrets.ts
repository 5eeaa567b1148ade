import type { Ports } from "@postern/core";
import { checkStoredSecrets } from "@postern/core/parts";
import { ConfigError } from "./config-error.ts";

/** So many senders are named; the others are counted. */
const mostNamed = 5;

/**
 * Refuses to start with a secret key that stored secrets do not open under: every webhook of those senders would be answered 503, and all
 * access tokens and cursors would have lost their worth.
 * @throws ConfigError that says what to do.
 */
export const checkSecrets = async (ports: Pick<Ports, "storage" | "secretBox">): Promise<void> => {
  const { closed } = await checkStoredSecrets(ports);
  if (closed.length === 0) return;
  const named = closed.slice(0, mostNamed).join(", ");
  const more = closed.length > mostNamed ? ` and ${closed.length - mostNamed} more` : "";
  throw new ConfigError([
    `POSTERN_SECRET_KEY is not the key that this database's secrets were sealed under: those of ${named}${more} do not open. ` +
      "Set the key of before as POSTERN_SECRET_KEY_PREVIOUS (with SQLite it may be in postern.key beside the database), start, and run `postern secret-key rotate`. " +
      "If that key is lost, remove these senders with `postern providers remove`, start, and add them again.",
  ]);
};

import { type Part, signingKeysOpen } from "@postern/app";
import type { Ports } from "@postern/core";
import { checkStoredSecrets } from "@postern/inbox/internal";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";

/** At most this many senders are named; the others are counted. */
const mostNamed = 5;

/**
 * Refuses to start if the secret key does not open the stored secrets. Otherwise every webhook of
 * those senders would be answered 503, and all access tokens and cursors would be invalid.
 * @throws ConfigError that says what to do.
 */
export const checkSecrets = async (
  ports: Pick<Ports, "storage" | "secretBox">,
  parts: readonly Part[],
  { nameOf }: Pick<ServerConfig, "nameOf">,
): Promise<void> => {
  const [key, former] = [nameOf("secretKey"), nameOf("previousSecretKeys")];
  if (parts.includes("inbox")) await checkSenders(ports, key, former);
  if (!parts.includes("users") || (await signingKeysOpen(ports))) return;
  throw new ConfigError([
    `${key} does not open the signing keys in this database; another key sealed them. ` +
      `Set the former key as ${former}, start the server, and run \`postern secret-key rotate\`. ` +
      "If that key is lost, run `postern signing-keys rotate --overlap 0`: it makes new signing keys, and all access tokens end.",
  ]);
};

const checkSenders = async (
  ports: Pick<Ports, "storage" | "secretBox">,
  key: string,
  former: string,
): Promise<void> => {
  const { closed } = await checkStoredSecrets(ports);
  if (closed.length === 0) return;
  const named = closed.slice(0, mostNamed).join(", ");
  const more = closed.length > mostNamed ? ` and ${closed.length - mostNamed} more` : "";
  throw new ConfigError([
    `${key} does not open the secrets in this database; another key sealed them. They belong to ${named}${more}. ` +
      `Set the former key as ${former} (with SQLite it may be in postern.key beside the database), start the server, and run \`postern secret-key rotate\`. ` +
      "If that key is lost, remove these senders with `postern providers remove`, start, and add them again.",
  ]);
};

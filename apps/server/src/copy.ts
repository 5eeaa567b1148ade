import { allParts, resourcesOfParts } from "@postern/app";
import { aesSecretBox } from "@postern/platform-node";
import { type CopyFacts, type CopyOptions, copyDatabase } from "@postern/storage-knex";
import { checkSecrets } from "./check-secrets.ts";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { keyBytes, keyFileOf, presentSecretKey } from "./secret-key.ts";

/** Where the secret key of a database is expected. */
const placeOfKey = (url: string): string => keyFileOf(url) ?? "POSTERN_SECRET_KEY";

/**
 * The key that a server on the target will have. It is not made here: a new one opens nothing.
 * @throws ConfigError that says where to put the key.
 */
const keyOfTarget = (config: ServerConfig, { from, to }: Pick<CopyOptions, "from" | "to">): Buffer => {
  const key = presentSecretKey(config, to);
  if (key !== undefined) return key;
  const there = keyFileOf(from) === undefined ? "" : ` The key of the source is in ${keyFileOf(from)}.`;
  const here = keyFileOf(to) === undefined ? "" : `, or copy it to ${keyFileOf(to)}`;
  throw new ConfigError([
    `The target has no secret key, so it could not open the stored secrets. Set POSTERN_SECRET_KEY to the key of the source${here}.${there}`,
  ]);
};

/**
 * Copies a database of this application into another one, as `copyDatabase` does. The secret key of the
 * target must open the secrets of the source.
 * @throws ConfigError if there is no such key, or it does not open them; nothing is changed then.
 *   CopyRefused.
 */
export const copyBetween = async (
  config: ServerConfig,
  file: PosternConfig,
  options: Pick<CopyOptions, "from" | "to" | "onProgress">,
): Promise<CopyFacts> => {
  const secretKey = keyOfTarget(config, options);
  const previousSecretKeys = config.previousSecretKeys.map(keyBytes);
  const secretBox = aesSecretBox({ secretKey, previousSecretKeys });
  const parts = file.parts ?? allParts;
  return copyDatabase({
    ...options,
    parts,
    resources: [...resourcesOfParts(parts, file.user), ...(file.resources ?? [])],
    check: async (storage) => {
      try {
        await checkSecrets({ storage, secretBox }, parts, config);
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        const where = config.secretKey === undefined ? placeOfKey(options.to) : "POSTERN_SECRET_KEY";
        throw new ConfigError([
          `The secret key of the target, ${where}, does not open the secrets of the source. Put the key of the source there. Nothing was changed.`,
        ]);
      }
    },
  });
};

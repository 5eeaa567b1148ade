import type { Ports } from "@postern/core";
import type { StoredProvider } from "@postern/core/ports";
import { sealContext } from "./provider-registry.ts";

type Needs = Pick<Ports, "storage" | "secretBox">;

/** Whether this process can decrypt the secrets of the stored senders. */
interface StoredSecrets {
  readonly opened: number;
  /** The senders with a key or settings that cannot be decrypted. */
  readonly closed: readonly string[];
}

/** The sealed texts of a sender, each with its context. */
const sealedOf = ({
  id,
  sealedSettings,
  keys,
}: StoredProvider): readonly (readonly [sealed: string, context: string])[] => [
  ...(sealedSettings === undefined ? [] : [[sealedSettings, sealContext("settings", id)] as const]),
  ...keys.map(({ sealedKey }) => [sealedKey, sealContext("key", id)] as const),
];

/**
 * Tries to open every secret of the senders that were added at run time. If the server has another
 * secret key than the one that sealed them, this shows at the start and not with the first webhook.
 */
export const checkStoredSecrets = async (ports: Needs): Promise<StoredSecrets> => {
  let opened = 0;
  const closed: string[] = [];
  for (const provider of await ports.storage.providers.list()) {
    const tries = await Promise.allSettled(
      sealedOf(provider).map(([sealed, context]) => ports.secretBox.open(sealed, context)),
    );
    if (tries.some(({ status }) => status === "rejected")) closed.push(provider.name);
    opened += tries.filter(({ status }) => status === "fulfilled").length;
  }
  return { opened, closed };
};

/**
 * Seals the secrets of stored senders under the current key, one sender per transaction. You can
 * run it again at any time, and beside servers that know both keys.
 * @returns How many secrets were sealed.
 * @throws Error when one does not open; the senders before it are sealed by then.
 */
export const resealStoredSecrets = async (ports: Needs & Pick<Ports, "clock">): Promise<number> => {
  const { storage, secretBox, clock } = ports;
  const reseal = async (sealed: string, context: string): Promise<string> =>
    secretBox.seal(await secretBox.open(sealed, context), context);
  let resealed = 0;
  for (const { id, name } of await storage.providers.list()) {
    resealed += await storage.transaction(async ({ providers }) => {
      // If a handshake changes the secrets at the same time, one of the two transactions waits for
      // the other.
      const provider = await providers.hold(name);
      if (provider?.id !== id) return 0;
      const { sealedSettings } = provider;
      const keys = [];
      for (const key of provider.keys) {
        keys.push({ ...key, sealedKey: await reseal(key.sealedKey, sealContext("key", id)) });
      }
      const settings =
        sealedSettings === undefined ? undefined : await reseal(sealedSettings, sealContext("settings", id));
      await providers.save({ ...provider, keys, sealedSettings: settings }, clock.now());
      return keys.length + (settings === undefined ? 0 : 1);
    });
  }
  return resealed;
};

import { equals } from "../ports/condition.ts";
import type { Ports } from "../ports/index.ts";
import { allRows, type Row, type SortKey } from "../ports/resource-repository.ts";
import { sealContext } from "./provider-registry.ts";
import { webhookKey, webhookProvider } from "./webhook-provider.ts";

type Needs = Pick<Ports, "storage" | "secretBox">;

const system = allRows("the secrets of stored senders are checked and sealed again");
const byId: readonly SortKey[] = [{ field: "id", direction: "asc" }];
const batch = 100;
/** As many senders as can be added at run time, and keys of all of them together. */
const mostRows = 1_000;

/** What of the stored senders opens under the keys that this process has. */
export interface StoredSecrets {
  readonly opened: number;
  /** Names of senders of which a key or the settings do not open. */
  readonly closed: readonly string[];
}

const storedProviders = async ({ storage }: Pick<Ports, "storage">): Promise<readonly Row[]> => {
  const found: Row[] = [];
  while (found.length < mostRows) {
    const last = found.at(-1);
    const page = await storage.resources.list(webhookProvider, {
      scope: system,
      order: byId,
      limit: batch,
      fields: ["id", "name", "sealed_settings"],
      ...(last === undefined ? {} : { after: [String(last.id)] }),
    });
    found.push(...page);
    if (page.length < batch) break;
  }
  return found;
};

const keysOf = (id: string) =>
  ({ scope: system, where: equals("provider_id", id), order: byId, limit: mostRows }) as const;

/** The sealed texts of a sender, each with the context that it is bound to. */
const sealedOf = (provider: Row, keys: readonly Row[]): readonly (readonly [sealed: string, context: string])[] => {
  const id = String(provider.id);
  const { sealed_settings: settings } = provider;
  return [
    ...(typeof settings === "string" ? [[settings, sealContext("settings", id)] as const] : []),
    ...keys.map(({ sealed_key: key }) => [String(key), sealContext("key", id)] as const),
  ];
};

/**
 * Tries every secret of the senders that were added at run time: another secret key than the one they were sealed under shows here, and
 * not with the first webhook.
 */
export const checkStoredSecrets = async (ports: Needs): Promise<StoredSecrets> => {
  let opened = 0;
  const closed: string[] = [];
  for (const provider of await storedProviders(ports)) {
    const keys = await ports.storage.resources.list(webhookKey, keysOf(String(provider.id)));
    const tries = await Promise.allSettled(
      sealedOf(provider, keys).map(([sealed, context]) => ports.secretBox.open(sealed, context)),
    );
    if (tries.some(({ status }) => status === "rejected")) closed.push(String(provider.name));
    opened += tries.filter(({ status }) => status === "fulfilled").length;
  }
  return { opened, closed };
};

/**
 * Seals the secrets of stored senders under the current key, one sender a transaction. It may be run again at any time, and beside
 * servers that know both keys.
 * @returns How many secrets were sealed.
 * @throws Error when one does not open; the senders before it are sealed by then.
 */
export const resealStoredSecrets = async (ports: Needs): Promise<number> => {
  const { secretBox } = ports;
  const reseal = async (sealed: string, context: string): Promise<string> =>
    secretBox.seal(await secretBox.open(sealed, context), context);
  let resealed = 0;
  for (const { id: idValue, name } of await storedProviders(ports)) {
    const id = String(idValue);
    resealed += await ports.storage.transaction(async ({ resources }) => {
      // A handshake that changes the secrets at the same time waits for this, or this for it.
      const [held] = await resources.hold(webhookProvider, { scope: system, where: equals("name", String(name)) }, 1);
      const provider = held === id ? await resources.find(webhookProvider, id, system) : undefined;
      if (provider === undefined) return 0;
      const { sealed_settings: settings } = provider;
      if (typeof settings === "string") {
        const sealed_settings = await reseal(settings, sealContext("settings", id));
        await resources.update(webhookProvider, id, system, { sealed_settings });
      }
      const keys = await resources.list(webhookKey, keysOf(id));
      for (const key of keys) {
        const sealed_key = await reseal(String(key.sealed_key), sealContext("key", id));
        await resources.update(webhookKey, String(key.id), system, { sealed_key });
      }
      return keys.length + (typeof settings === "string" ? 1 : 0);
    });
  }
  return resealed;
};

import { AppError } from "../errors/index.ts";
import type { ProviderStore, StoredProvider } from "../ports/provider-store.ts";
import type { Journal } from "./journal.ts";

/** Providers by id. */
export type ProviderTable = Map<string, StoredProvider>;

const byId = (left: { readonly id: string }, right: { readonly id: string }): number => (left.id < right.id ? -1 : 1);

export const memoryProviders = (providers: ProviderTable, journal: Journal): ProviderStore => {
  const named = (name: string): StoredProvider | undefined =>
    [...providers.values()].find((provider) => provider.name === name);
  return {
    list: async () => [...providers.values()].toSorted(byId).slice(0, 1000),
    find: async (name) => named(name),
    // Transactions of this storage run one at a time.
    hold: async (name) => named(name),
    save: async (provider) => {
      const holder = named(provider.name);
      if (holder !== undefined && holder.id !== provider.id) {
        throw new AppError("conflict", {
          detail: "This name is taken.",
          faults: [{ pointer: "/name", code: "taken", detail: "already in use" }],
        });
      }
      journal.set(providers, provider.id, { ...provider, keys: provider.keys.toSorted(byId) });
    },
    remove: async (name) => {
      const provider = named(name);
      if (provider !== undefined) journal.delete(providers, provider.id);
      return provider !== undefined;
    },
  };
};

import type { Ports, Provider, StoredProvider, StoredProviderKey } from "@postern/core";
import { schemeNamed, sealContext, timestampOf } from "@postern/core/parts";
import { z } from "zod";
import { moment } from "./numeric-ids.ts";

const shownKey = z.object({
  id: z.string(),
  key_id: z.string().nullable().meta({ description: "The sender's name for the key." }),
  state: z.enum(["waiting", "good", "ended"]),
  not_before: moment,
  not_after: moment.nullable(),
});

/** A sender of webhooks, as administrators see it. */
export const providerFacts = z.object({
  name: z.string(),
  scheme: z.string(),
  title: z.string().meta({ description: "The sender's name as it writes it." }),
  source: z
    .enum(["configuration", "stored"])
    .meta({ description: "Where the provider comes from. You can change providers of the configuration only there." }),
  path: z.string().meta({ description: "The path to which it delivers." }),
  tolerance_seconds: z.number().nullable(),
  allow_short: z
    .boolean()
    .nullable()
    .meta({ description: "Whether secrets under 16 bytes are accepted; null for providers of the configuration." }),
  jwks_url: z.string().nullable(),
  settings: z
    .array(z.string())
    .meta({ description: "The names of the settings that have a value; values are never shown." }),
  schema_types: z.array(z.string()).meta({ description: "The types whose payloads are checked." }),
  keys: z.array(shownKey).meta({ description: "Never the keys themselves. Keys of the configuration are not listed." }),
});

/** Described once in documents. */
export const shownProvider = providerFacts.meta({ id: "provider" });

type ShownKey = z.infer<typeof shownKey>;
export type ShownProvider = z.infer<typeof shownProvider>;

/** `now` in milliseconds since the epoch. */
export const keyState = ({ notBefore, notAfter }: StoredProviderKey, now: number): ShownKey["state"] =>
  notBefore > now ? "waiting" : notAfter !== undefined && notAfter <= now ? "ended" : "good";

const presentKey = (key: StoredProviderKey, now: number): ShownKey => ({
  id: key.id,
  key_id: key.keyId ?? null,
  state: keyState(key, now),
  not_before: timestampOf(key.notBefore),
  not_after: key.notAfter === undefined ? null : timestampOf(key.notAfter),
});

const pathTo = (name: string): string => `/api/webhooks/${name}`;

/** Opens the settings only to list their names. */
export const presentStored = async (
  ports: Pick<Ports, "secretBox" | "clock">,
  stored: StoredProvider,
): Promise<ShownProvider> => {
  const { id, name, sealedSettings } = stored;
  const settings: object =
    sealedSettings === undefined
      ? {}
      : JSON.parse(await ports.secretBox.open(sealedSettings, sealContext("settings", id)));
  return {
    name,
    scheme: stored.scheme,
    title: (await schemeNamed(stored.scheme))?.title ?? stored.scheme,
    source: "stored",
    path: pathTo(name),
    tolerance_seconds: stored.toleranceSeconds ?? null,
    allow_short: stored.allowShort,
    jwks_url: stored.jwksUrl ?? null,
    settings: Object.keys(settings),
    schema_types: Object.keys(stored.schemas ?? {}),
    keys: stored.keys.map((key) => presentKey(key, ports.clock.now())),
  };
};

export const presentConfigured = ({ name, verifier: { scheme }, schemas = {} }: Provider): ShownProvider => ({
  name,
  scheme: scheme.name,
  title: scheme.title,
  source: "configuration",
  path: pathTo(name),
  tolerance_seconds: scheme.toleranceSeconds ?? null,
  allow_short: null,
  jwks_url: null,
  settings: [],
  schema_types: Object.keys(schemas),
  keys: [],
});

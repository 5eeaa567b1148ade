import type { Ports, Provider, Row } from "@postern/core";
import { type StoredDefinition, schemeNamed, sealContext, timestampOf } from "@postern/core/parts";
import { z } from "zod";

const moment = z.iso.datetime();
const shownKey = z.object({
  id: z.string(),
  key_id: z.string().nullable().meta({ description: "What the sender's messages call it." }),
  state: z.enum(["waiting", "good", "ended"]),
  not_before: moment,
  not_after: moment.nullable(),
});
/** A sender of webhooks, as administrators see it. */
export const shownProvider = z.object({
  name: z.string(),
  scheme: z.string(),
  title: z.string().meta({ description: "The sender's name as it writes it." }),
  source: z
    .enum(["configuration", "stored"])
    .meta({ description: "Those of the configuration are changed there, and only there." }),
  path: z.string().meta({ description: "Where it delivers." }),
  tolerance_seconds: z.number().nullable(),
  jwks_url: z.string().nullable(),
  settings: z.array(z.string()).meta({ description: "The names of what is set; values are never shown." }),
  schema_types: z.array(z.string()).meta({ description: "The types whose payloads are checked." }),
  keys: z
    .array(shownKey)
    .meta({ description: "Never the keys themselves; none are listed for those of the configuration." }),
});

type ShownKey = z.infer<typeof shownKey>;
type ShownProvider = z.infer<typeof shownProvider>;

/** `now` and the key's times are RFC 3339 texts of one form, which compare as they are. */
export const keyState = (key: Row, now: string): ShownKey["state"] =>
  String(key.not_before) > now ? "waiting" : key.not_after !== null && String(key.not_after) <= now ? "ended" : "good";

const presentKey = (key: Row, now: string): ShownKey => ({
  id: String(key.id),
  key_id: key.key_id === null ? null : String(key.key_id),
  state: keyState(key, now),
  not_before: String(key.not_before),
  not_after: key.not_after === null ? null : String(key.not_after),
});

const pathTo = (name: string): string => `/api/webhooks/${name}`;

/** Opens the settings for their names alone. */
export const presentStored = async (
  ports: Pick<Ports, "secretBox" | "clock">,
  row: Row,
  keys: readonly Row[],
): Promise<ShownProvider> => {
  const { tolerance_seconds, jwks_url, schemas } = row.definition as StoredDefinition;
  const name = String(row.name);
  const sealed = row.sealed_settings;
  const settings: object =
    typeof sealed === "string"
      ? JSON.parse(await ports.secretBox.open(sealed, sealContext("settings", String(row.id))))
      : {};
  return {
    name,
    scheme: String(row.scheme),
    title: schemeNamed(String(row.scheme))?.facts.title ?? String(row.scheme),
    source: "stored",
    path: pathTo(name),
    tolerance_seconds: tolerance_seconds ?? null,
    jwks_url: jwks_url ?? null,
    settings: Object.keys(settings),
    schema_types: Object.keys(schemas ?? {}),
    keys: keys.map((key) => presentKey(key, timestampOf(ports.clock.now()))),
  };
};

export const presentConfigured = ({ name, verifier: { scheme }, schemas = {} }: Provider): ShownProvider => ({
  name,
  scheme: scheme.name,
  title: scheme.facts.title,
  source: "configuration",
  path: pathTo(name),
  tolerance_seconds: scheme.toleranceSeconds ?? null,
  jwks_url: null,
  settings: [],
  schema_types: Object.keys(schemas),
  keys: [],
});

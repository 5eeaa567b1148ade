import type { Ports, Stores } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { StoredProvider, StoredProviderKey } from "@postern/core/ports";
import type { Provider } from "@postern/inbox";
import { schemeNamed, sealContext } from "@postern/inbox/internal";
import type { Dedupe, Location } from "@postern/webhook-verifier";
import type { z } from "zod";
import type { dedupe, SenderKey, ShownProvider } from "./wire/sender.ts";
import { momentOf } from "./wire/times.ts";

/** The setting in the words of the verifier. */
export const dedupeOf = (given: z.infer<typeof dedupe>): Dedupe => {
  if (given.by === "none") return given;
  if (given.by === "id") return { by: "id", ...(given.id === undefined ? {} : { id: given.id as Location }) };
  const { window_seconds, without } = given;
  return {
    by: "body",
    ...(window_seconds === undefined ? {} : { windowSeconds: window_seconds }),
    ...(without === undefined ? {} : { without }),
  };
};

const presentDedupe = (stored: Dedupe): z.infer<typeof dedupe> => {
  if (stored.by === "none") return stored;
  if (stored.by === "id") return { by: "id", ...(stored.id === undefined ? {} : { id: String(stored.id) }) };
  const { windowSeconds, without } = stored;
  return {
    by: "body",
    ...(windowSeconds === undefined ? {} : { window_seconds: windowSeconds }),
    ...(without === undefined ? {} : { without: [...without] }),
  };
};

/** `now` in milliseconds since the epoch. */
export const keyState = ({ notBefore, notAfter }: StoredProviderKey, now: number): SenderKey["state"] =>
  notBefore > now ? "waiting" : notAfter !== undefined && notAfter <= now ? "ended" : "good";

const presentKey = (key: StoredProviderKey, now: number): SenderKey => ({
  id: key.id,
  key_id: key.keyId ?? null,
  state: keyState(key, now),
  not_before: timestampOf(key.notBefore),
  not_after: key.notAfter === undefined ? null : timestampOf(key.notAfter),
});

const pathTo = (name: string): string => `/api/webhooks/${name}`;

/** When the newest event of a sender was received. */
const lastEventAt = async ({ events }: Pick<Stores, "events">, provider: string): Promise<string | null> =>
  momentOf((await events.list({ provider, limit: 1 }))[0]?.receivedAt);

/** Opens the settings only to list their names. */
export const presentStored = async (
  ports: Pick<Ports, "secretBox" | "clock">,
  stored: StoredProvider,
  stores: Pick<Stores, "events">,
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
    dedupe: stored.dedupe === undefined ? null : presentDedupe(stored.dedupe),
    headers: [...stored.headers],
    replay_on_resend: stored.replayOnResend,
    keep_refused_bodies: stored.keepRefusedBodies,
    jwks_url: stored.jwksUrl ?? null,
    settings: Object.keys(settings),
    last_event_at: await lastEventAt(stores, name),
    schema_types: Object.keys(stored.schemas ?? {}),
    keys: stored.keys.map((key) => presentKey(key, ports.clock.now())),
  };
};

export const presentConfigured = async (
  {
    name,
    verifier: { scheme },
    schemas = {},
    headers = [],
    replayOnResend = false,
    keepRefusedBodies = false,
  }: Provider,
  stores: Pick<Stores, "events">,
): Promise<ShownProvider> => ({
  name,
  scheme: scheme.name,
  title: scheme.title,
  source: "configuration",
  path: pathTo(name),
  tolerance_seconds: scheme.toleranceSeconds ?? null,
  allow_short: null,
  dedupe: null,
  headers: [...headers],
  replay_on_resend: replayOnResend,
  keep_refused_bodies: keepRefusedBodies,
  jwks_url: null,
  settings: [],
  last_event_at: await lastEventAt(stores, name),
  schema_types: Object.keys(schemas),
  keys: [],
});

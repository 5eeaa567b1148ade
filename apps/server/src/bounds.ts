import { defaultSettings, type Settings } from "@postern/app";
import type { ArgonOptions } from "@postern/platform-node";
import { bytesIn } from "./check-config-file.ts";
import type { PosternConfig } from "./config-file.ts";
import { defaultStorageWarnings, type StorageWarnings } from "./storage-watch.ts";

/** The limits that the application knows by the same names. */
const ofSettings = [
  "accessTokenSeconds",
  "answersBytes",
  "exportBytes",
  "exportsPerDay",
  "keptAnswerBytes",
  "keysPerUser",
  "leastFreeBytes",
  "requestsAtOnce",
  "sessionMostSeconds",
  "sessionSeconds",
  "webhookWaitMs",
] as const satisfies readonly (keyof Settings)[];

type Bounds = Pick<Settings, (typeof ofSettings)[number] | "answerBounds" | "limits" | "quotas">;

/** The bounds of the API: those of the file, the defaults for the others. */
export const boundsOf = ({ quotas = {}, limits = {} }: PosternConfig): Bounds => {
  const entries = ofSettings.map((name) => [name, limits[name] ?? defaultSettings[name]]);
  const named = Object.fromEntries(entries) as Pick<Settings, (typeof ofSettings)[number]>; /* each has its value */
  return {
    ...named,
    quotas: Object.fromEntries(
      Object.entries(quotas).map(([name, { rows, bytes }]) => [
        name,
        { ...(rows === undefined ? {} : { rows }), ...(bytes === undefined ? {} : { bytes: bytesIn(bytes) ?? 0 }) },
      ]),
    ),
    // One network has half of the memory, and half of that is for rows without their longest texts.
    answerBounds: { ...defaultSettings.answerBounds, bytes: Math.ceil(named.answersBytes / 4) },
    limits: { ...defaultSettings.limits, ...limits.rates },
  };
};

export const storageWarningsOf = ({ limits = {} }: PosternConfig): StorageWarnings => ({
  ...defaultStorageWarnings,
  ...(limits.leastFreeBytes === undefined ? {} : { leastFreeBytes: limits.leastFreeBytes }),
});

/** How many passwords are hashed at once; by default as many as the hasher decides. */
export const hasherBoundsOf = ({ limits = {} }: PosternConfig): ArgonOptions =>
  limits.hashesAtOnce === undefined ? {} : { concurrency: limits.hashesAtOnce };

import { type AccountBounds, accountBounds, defaultSettings, type Settings } from "@postern/app";
import { defaultJobBounds, type JobBounds } from "@postern/core/parts";
import type { ArgonOptions } from "@postern/platform-node";
import { type AlertBounds, defaultAlertBounds } from "./alerting.ts";
import { bytesIn } from "./check-config-file.ts";
import type { PosternConfig } from "./config-file.ts";
import { defaultStorageWarnings, type StorageWarnings } from "./storage-watch.ts";

type Bounds = Pick<
  Settings,
  | keyof AccountBounds
  | "accessTokenSeconds"
  | "answerBounds"
  | "answerMemory"
  | "atOnce"
  | "exportBytes"
  | "exportsPerDay"
  | "grantsPerUser"
  | "keptAnswerBytes"
  | "keysPerUser"
  | "limits"
  | "mailTries"
  | "quotas"
  | "sessionMostSeconds"
  | "sessionSeconds"
  | "sessionsPerUser"
  | "signingKeySeconds"
  | "webhookWaitMs"
>;

const rangedNames = Object.keys(accountBounds) as readonly (keyof AccountBounds)[] /* that is what it has */;

/** The bounds of the API: those of the file, the defaults for the others. */
export const boundsOf = ({ quotas = {}, limits = {} }: PosternConfig): Bounds => {
  const { answerBounds, answerMemory, atOnce } = defaultSettings;
  const ranged = Object.fromEntries(rangedNames.map((name) => [name, limits[name] ?? defaultSettings[name]]));
  return {
    ...(ranged as AccountBounds) /* each name has its value */,
    quotas: Object.fromEntries(
      Object.entries(quotas).map(([name, { rows, bytes }]) => [
        name,
        { ...(rows === undefined ? {} : { rows }), ...(bytes === undefined ? {} : { bytes: bytesIn(bytes) ?? 0 }) },
      ]),
    ),
    answerBounds: { bytes: limits.answerBytes ?? answerBounds.bytes, rows: limits.answerRows ?? answerBounds.rows },
    answerMemory: {
      bytes: limits.answersBytes ?? answerMemory.bytes,
      waiting: limits.answersWaiting ?? answerMemory.waiting,
      waitMs: limits.answersWaitMs ?? answerMemory.waitMs,
    },
    atOnce: {
      running: limits.requestsAtOnce ?? atOnce.running,
      waiting: limits.requestsWaiting ?? atOnce.waiting,
    },
    limits: { ...defaultSettings.limits, ...limits.rates },
    webhookWaitMs: limits.webhookWaitMs ?? defaultSettings.webhookWaitMs,
    mailTries: limits.mailTries ?? defaultSettings.mailTries,
    exportBytes: limits.exportBytes ?? defaultSettings.exportBytes,
    exportsPerDay: limits.exportsPerDay ?? defaultSettings.exportsPerDay,
    grantsPerUser: limits.grantsPerUser ?? defaultSettings.grantsPerUser,
    keptAnswerBytes: limits.keptAnswerBytes ?? defaultSettings.keptAnswerBytes,
    keysPerUser: limits.keysPerUser ?? defaultSettings.keysPerUser,
    sessionsPerUser: limits.sessionsPerUser ?? defaultSettings.sessionsPerUser,
    sessionSeconds: limits.sessionSeconds ?? defaultSettings.sessionSeconds,
    accessTokenSeconds: limits.accessTokenSeconds ?? defaultSettings.accessTokenSeconds,
    signingKeySeconds: limits.signingKeySeconds ?? defaultSettings.signingKeySeconds,
    sessionMostSeconds: limits.sessionMostSeconds ?? defaultSettings.sessionMostSeconds,
  };
};

export const storageWarningsOf = ({ limits = {} }: PosternConfig): StorageWarnings => ({
  leastFreeBytes: limits.leastFreeBytes ?? defaultStorageWarnings.leastFreeBytes,
  largestWalBytes: limits.largestLogBytes ?? defaultStorageWarnings.largestWalBytes,
});

export const jobBoundsOf = ({ limits = {} }: PosternConfig): JobBounds => ({
  endMs: limits.jobEndMs ?? defaultJobBounds.endMs,
  endTries: limits.jobEndTries ?? defaultJobBounds.endTries,
  handlerStopMs: limits.handlerStopMs ?? defaultJobBounds.handlerStopMs,
});

/**
 * How many passwords are hashed at once, and how many wait. Settings that the file leaves out have
 * the hasher's defaults.
 */
export const hasherBoundsOf = ({ limits = {} }: PosternConfig): ArgonOptions => ({
  ...(limits.hashesAtOnce === undefined ? {} : { concurrency: limits.hashesAtOnce }),
  ...(limits.hashesWaiting === undefined ? {} : { queue: limits.hashesWaiting }),
  ...(limits.hashesWaitingOfNetwork === undefined ? {} : { queueOfNetwork: limits.hashesWaitingOfNetwork }),
});

export const alertBoundsOf = ({ limits = {} }: PosternConfig): AlertBounds => ({
  queue: limits.alertsWaiting ?? defaultAlertBounds.queue,
  timeoutMs: limits.alertMs ?? defaultAlertBounds.timeoutMs,
});

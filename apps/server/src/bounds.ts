import { type AppOptions, defaultSettings } from "@postern/app";
import type { PosternConfig } from "./config-file.ts";
import { bytesIn } from "./settings/bytes.ts";

type Settings = NonNullable<AppOptions["settings"]>;

/**
 * The memory of answers and of archives, where the file says how much bodies may take. All of them
 * are in memory at the same time, so one setting says how much there is.
 */
const memoryOf = (bodyBytes: number | undefined): Settings => {
  if (bodyBytes === undefined) return {};
  const answersBytes = Math.ceil(bodyBytes / 2);
  return {
    answersBytes,
    // One network has half of the memory, and half of that is for rows without their longest texts.
    answerBounds: { ...defaultSettings.answerBounds, bytes: Math.ceil(answersBytes / 4) },
    exportBytes: Math.ceil(bodyBytes / 8),
  };
};

/** The bounds of the API that the file sets. */
export const boundsOf = ({ quotas = {}, limits = {}, http = {} }: PosternConfig): Settings => {
  const { requestsAtOnce, sessionMostSeconds, sessionSeconds, rates } = limits;
  return {
    ...(requestsAtOnce === undefined ? {} : { requestsAtOnce }),
    ...(sessionMostSeconds === undefined ? {} : { sessionMostSeconds }),
    ...(sessionSeconds === undefined ? {} : { sessionSeconds }),
    ...memoryOf(http.memoryLimitBytes),
    quotas: Object.fromEntries(
      Object.entries(quotas).map(([name, { rows, bytes }]) => [
        name,
        { ...(rows === undefined ? {} : { rows }), ...(bytes === undefined ? {} : { bytes: bytesIn(bytes) ?? 0 }) },
      ]),
    ),
    limits: { ...defaultSettings.limits, ...rates },
  };
};

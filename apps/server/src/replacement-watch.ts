import type { Alerts, Telemetry } from "@postern/core/ports";
import type { KnexStorage } from "@postern/storage-knex";

export interface ReplacementWatchParts {
  readonly database: Pick<KnexStorage, "replacement">;
  readonly alerts: Alerts;
  readonly telemetry: Pick<Telemetry, "log">;
}

/**
 * Tells once that the database is no longer the one that was opened first, and once that it is the
 * same again. In between, the storage refuses everything, and the server is not ready.
 */
export const createReplacementWatch = ({
  database,
  alerts,
  telemetry,
}: ReplacementWatchParts): (() => Promise<void>) => {
  let told: string | undefined;
  return async () => {
    const reason = await database.replacement();
    if (reason === told) return;
    if (reason === undefined) {
      telemetry.log("info", "the database is the one that was opened first again; everything is accepted");
    } else {
      telemetry.log("error", "the database was replaced", { reason });
      alerts.raise({ kind: "storage.replaced", text: reason, details: {} });
    }
    told = reason;
  };
};

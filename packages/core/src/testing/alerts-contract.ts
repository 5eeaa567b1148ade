import assert from "node:assert/strict";
import type { Alert, Alerts } from "../ports/alerts.ts";
import type { Contract } from "./contract.ts";

const alert: Alert = {
  kind: "job.dead",
  text: "A job is dead.",
  details: { job_id: 7, handler: "mail", reason: undefined },
};

/**
 * Run it for an adapter whose receiver answers, and again for one whose receiver cannot be reached.
 */
export const alertsContract: Contract<Alerts> = {
  "takes an alert without waiting": async (alerts) => {
    assert.equal(alerts.raise(alert), undefined);
  },
  "takes a flood of alerts": async (alerts) => {
    for (let raised = 0; raised < 5_000; raised++) assert.equal(alerts.raise(alert), undefined);
  },
};

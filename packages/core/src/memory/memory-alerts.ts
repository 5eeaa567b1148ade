import type { Alert, Alerts } from "../ports/alerts.ts";

export interface MemoryAlerts extends Alerts {
  /** The newest 1,000 alerts, oldest first. */
  readonly raised: readonly Alert[];
}

/** Keeps alerts so that you can look at them. */
export const memoryAlerts = (): MemoryAlerts => {
  const raised: Alert[] = [];
  return {
    raised,
    raise: (alert) => {
      raised.push(alert);
      if (raised.length > 1_000) raised.shift();
    },
  };
};

export interface Alert {
  /** Stable and machine-readable, e.g. `event.quarantined`, `job.dead`. */
  readonly kind: string;
  /** One sentence for a person to read. Never a secret, never a payload. */
  readonly text: string;
  readonly details: Readonly<Record<string, string | number | undefined>>;
}

/** Tells the operator that something needs attention. Driven port. */
export interface Alerts {
  /** Never throws and never waits for the receiver: an alert that cannot be delivered is logged. */
  raise(alert: Alert): void;
}

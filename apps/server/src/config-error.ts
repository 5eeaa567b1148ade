/**
 * A configuration with which the server does not start. Every fault is one sentence that names the
 * setting; none shows a secret.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

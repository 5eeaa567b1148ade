import { brand } from "./brand.ts";

/**
 * An option has a value that cannot work. If you took the value from elsewhere, such as a variable of the
 * environment, name that place in your message, with the same `reason`.
 */
export class OptionError extends TypeError {
  override readonly name = "OptionError";
  readonly option: string;
  readonly reason: string;

  constructor(option: string, reason: string) {
    super(`${option}: ${reason}`);
    this.option = option;
    this.reason = reason;
  }
}
brand(OptionError, "OptionError");

import { brand } from "./brand.ts";

/**
 * A value of an option that cannot work. Whoever took the option from elsewhere, such as a variable
 * of the environment, can say so with its own name for it and the same `reason`.
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

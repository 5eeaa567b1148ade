/** Why a database was not copied, or not to its end. */
export type CopyRefusal =
  | "not_found"
  | "unreachable"
  | "not_current"
  | "not_empty"
  | "in_use"
  | "not_fitting"
  | "differs";

export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
  readonly reason: CopyRefusal;

  constructor(reason: CopyRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Why there is no backup, or why it was not restored. */
export type BackupRefusal =
  | "not_fitting"
  | "not_found"
  | "no_tool"
  | "not_allowed"
  | "exists"
  | "left_over"
  | "in_use"
  | "damaged"
  | "tool_failed"
  | "disk_full";

export class BackupRefused extends Error {
  override readonly name = "BackupRefused";
  readonly reason: BackupRefusal;

  constructor(reason: BackupRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

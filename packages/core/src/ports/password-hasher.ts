/** Says for whom a hash is made, so that waiting callers are served fairly. */
export interface HashingFor {
  /**
   * Hashes take long, and only a few are made at once. The turns are served in rotation, one
   * waiting caller of each, so that many sign-ins from one network do not delay those of others.
   * Pass the caller's network. Callers without a turn share one.
   */
  readonly turn?: string;
}

/** One-way storage of passwords. Driven port. */
export interface PasswordHasher {
  /**
   * A salted, memory-hard hash that carries its own parameters.
   * @throws AppError `overloaded` when too many hashes are waiting already, of this turn or of all;
   * also later, when others need the place in the line more.
   */
  hash(password: string, whose?: HashingFor): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. With `undefined` (no such account) it does the
   * same work and returns false, so that the time taken does not reveal which accounts exist.
   * @throws AppError `overloaded` when too many hashes are waiting already, of this turn or of all;
   * also later, when others need the place in the line more.
   */
  verify(password: string, hash: string | undefined, whose?: HashingFor): Promise<boolean>;
  /** True if the hash was made with outdated parameters. Replace it at the next sign-in. */
  isOutdated(hash: string): boolean;
}

/** Says for whom a hash is made, so that waiting callers are served fairly. */
interface HashingFor {
  /**
   * The network of the caller. Hashes take long, and only a few are made at once. Networks are
   * served in rotation, one waiting caller of each, so that many sign-ins from one network do not
   * delay those of others. Callers without a network count as one.
   */
  readonly network?: string;
}

/** One-way storage of passwords. Driven port. */
export interface PasswordHasher {
  /**
   * A salted, memory-hard hash that carries its own parameters.
   * @throws AppError `overloaded` when too many hashes are waiting already, of this network or of all;
   * also later, when others need the place in the line more.
   */
  hash(password: string, whose?: HashingFor): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. With `undefined` (no such account) it does the
   * same work and returns false, so that the time taken does not reveal which accounts exist.
   * @throws AppError `overloaded` when too many hashes are waiting already, of this network or of all;
   * also later, when others need the place in the line more.
   */
  verify(password: string, hash: string | undefined, whose?: HashingFor): Promise<boolean>;
  /** True if the hash was made with outdated parameters. Replace it at the next sign-in. */
  isOutdated(hash: string): boolean;
}

/** One-way storage of passwords. Driven port. */
export interface PasswordHasher {
  /**
   * A salted, memory-hard hash that carries its own parameters.
   * @throws AppError `overloaded` when too many hashes are waiting already.
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. With `undefined` (no such account) it does the
   * same work and returns false, so that the time taken does not reveal which accounts exist.
   * @throws AppError `overloaded` when too many hashes are waiting already.
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** True if the hash was made with outdated parameters. Replace it at the next sign-in. */
  isOutdated(hash: string): boolean;
}

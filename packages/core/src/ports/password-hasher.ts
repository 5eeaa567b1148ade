/** One-way storage of passwords. Driven port. */
export interface PasswordHasher {
  /**
   * A salted, memory-hard hash that carries its own parameters.
   * @throws AppError `overloaded` when too many hashes are waiting already.
   */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. With `undefined` (no such account) it does the same work and answers false,
   * so that the time taken tells nobody which accounts exist.
   * @throws AppError `overloaded` when too many hashes are waiting already.
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** True when the hash was made with other parameters than today's and should be replaced at the next sign-in. */
  isOutdated(hash: string): boolean;
}

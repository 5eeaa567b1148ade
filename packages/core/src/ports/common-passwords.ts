/** Passwords that guessers try first. Driven port. */
export interface CommonPasswords {
  /** Whether a password is among the common ones (3,000 or more), in whatever case it is written. */
  includes(password: string): boolean;
}

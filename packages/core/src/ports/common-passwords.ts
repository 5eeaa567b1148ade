/** The passwords that attackers try first. Driven port. */
export interface CommonPasswords {
  /**
   * Whether a password is one of the common ones (3,000 or more). Upper and lower case do not
   * matter.
   */
  includes(password: string): boolean;
}

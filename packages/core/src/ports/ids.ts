/** Makes the ids of resources. Driven port. */
export interface Ids {
  /**
   * A new UUIDv7 in its one spelling (36 characters, lower case), greater than every id this instance has made before, so that
   * the order of ids is the order of creation (RFC 9562, section 6.2).
   */
  uuid(): string;
}

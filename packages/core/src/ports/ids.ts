/** Makes the ids of resources. Driven port. */
export interface Ids {
  /**
   * A new UUIDv7 in its canonical spelling (36 characters, lower case). It is greater than every id
   * that this instance made before, so ids sort by creation (RFC 9562, section 6.2).
   */
  uuid(): string;
}

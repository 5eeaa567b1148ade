/** The scope for seeing payloads; the audit log uses the same name. */
export const reveal = "events:reveal";

/** Replaces the text of an error that the caller may not see: handlers may quote payloads in it. */
export const maskedError = `masked: this needs the scope ${reveal}`;

/** What that scope adds to the answers of operations. */
export const revealed = { [reveal]: "errors of handlers" };

/**
 * Where in the request a fault is. Exactly one of these is set: a pointer to a member of the body
 * (RFC 6901), a query parameter, or a header.
 */
export type FaultLocation = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

/** One thing that is wrong with the request. `detail` says what would be right. */
export type Fault = FaultLocation & { readonly code: string; readonly detail: string };

/**
 * An error lists at most this many faults, so that an answer is never many times as long as the
 * request.
 */
export const mostFaults = 50;

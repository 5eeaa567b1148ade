/** Where in the request a fault lies: exactly one of a member of the body (RFC 6901), a query parameter, or a header. */
export type FaultLocation = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

/** One thing that is wrong with the request and, in `detail`, what would be right. */
export type Fault = FaultLocation & { readonly code: string; readonly detail: string };

/** An error tells no more faults than this: what a caller gets back must not be many times what they sent. */
export const mostFaults = 50;

const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a `traceparent` header (W3C Trace Context, version 00); `undefined` for anything else. */
export const traceIdOf = (traceparent: unknown): string | undefined =>
  typeof traceparent === "string" ? traceparentForm.exec(traceparent)?.[1] : undefined;

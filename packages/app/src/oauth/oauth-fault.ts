import { type Answer, AppError } from "@postern/core";
import { toAppError } from "@postern/core/internal";
import type { Telemetry } from "@postern/core/ports";

/**
 * The errors of RFC 6749, sections 4.1.2.1 and 5.2, of RFC 7009, section 2.2.1, and of OpenID Connect
 * Core 1.0, section 3.1.2.6.
 */
type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "unsupported_token_type"
  | "invalid_scope"
  | "access_denied"
  | "login_required"
  | "consent_required"
  | "server_error"
  | "temporarily_unavailable";

/** A failure that an OAuth client understands. The description is safe to show. */
export class OAuthFault extends Error {
  override readonly name = "OAuthFault";
  readonly code: OAuthCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: OAuthCode, description: string, headers: Readonly<Record<string, string>> = {}) {
    super(description);
    this.code = code;
    this.headers = headers;
  }
}

/** Answers of these endpoints must not be cached (RFC 6749, section 5.1). */
export const noStore = { "cache-control": "no-store", pragma: "no-cache" } as const;

const codeOf = ({ status }: AppError): OAuthCode => {
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
};

/**
 * The answer to a failure, in the form of RFC 6749, section 5.2. Failures of this server are
 * logged.
 */
export const oauthAnswer = (telemetry: Telemetry, thrown: unknown, requestId: string): Answer => {
  if (thrown instanceof OAuthFault) {
    const status = thrown.code === "invalid_client" ? 401 : 400;
    const body = { error: thrown.code, error_description: thrown.message };
    return { status, headers: { ...noStore, ...thrown.headers }, body };
  }
  const error = toAppError(thrown);
  if (!(thrown instanceof AppError) || error.status === 500) {
    telemetry.log("error", "a request to an OAuth endpoint failed", { request_id: requestId }, thrown);
  }
  return {
    status: error.status,
    headers: { ...noStore, ...error.headers },
    body: { error: codeOf(error), error_description: error.message },
  };
};

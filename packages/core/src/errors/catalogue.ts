/** What is known about a code, wherever it occurs. Texts may have `code` spans. */
export interface ErrorFacts {
  readonly status: number;
  /** What happened. Every problem with the code has it. */
  readonly title: string;
  /** Why it happens, for the page that the `type` of a problem leads to. */
  readonly why: string;
  /** How the reader of that page can fix it. */
  readonly mend: string;
}

/**
 * Every error that a caller can get. A code is a permanent part of the contract. Adding a code is
 * not a breaking change; sending another code for the same case is. `docs/errors.md` is generated
 * from this table, and a test compares the two.
 */
export const errorCatalogue = {
  bad_request: {
    status: 400,
    title: "The request is malformed",
    why: "The server cannot read the request as HTTP, or a part of it contradicts another part.",
    mend: "Read `detail`, correct the request and send it again. The same request fails again.",
  },
  invalid_json: {
    status: 400,
    title: "The request body is not valid JSON",
    why: "The body says that it is JSON, but it does not parse, is too deep, or is not valid UTF-8.",
    mend: "Correct the body where `errors` points to. Let a JSON library write it.",
  },
  validation_failed: {
    status: 400,
    title: "The request is not valid",
    why: "Members of the body, or parts of the request, break the rules of this operation.",
    mend: "Correct each place that `errors` names. The OpenAPI document of your version lists the rules.",
  },
  unknown_field: {
    status: 400,
    title: "The request names a field that does not exist here",
    why: "The body has a member that this operation does not take. Requests are strict, so that a typing error cannot pass unnoticed.",
    mend: "Remove or rename the member that `errors` names. Check that you read the document of the version that you call.",
  },
  field_read_only: {
    status: 400,
    title: "The request changes a field that cannot be written",
    why: "The server sets this member, or your role may not write it. A read-only member may only be sent back with the value it has.",
    mend: "Leave the member out, or send the value that you read.",
  },
  unknown_parameter: {
    status: 400,
    title: "The request has a query parameter that does not exist here",
    why: "The URL has a query parameter that this operation does not take. Requests are strict, so that a typing error cannot pass unnoticed.",
    mend: "Remove or rename the parameter that `errors` names.",
  },
  invalid_parameter: {
    status: 400,
    title: "A parameter is not valid",
    why: "A parameter has a value of the wrong type or range, or the URL contains it twice.",
    mend: "Correct the parameter that `errors` names, and send it once.",
  },
  invalid_fields: {
    status: 400,
    title: "The fields parameter names something that cannot be selected",
    why: "`fields` is empty, or it names a member that does not exist here or that you may not read.",
    mend: "Name members of the resource in your API version, with commas between them.",
  },
  invalid_filter: {
    status: 400,
    title: "This list does not have that filter, or the filter's value is not valid",
    why: "The list has no filter of this name or operator, or its value is not of the field's type. You can filter only by what you may read.",
    mend: "Choose a filter from the OpenAPI document, and give it a value of the field's type.",
  },
  invalid_sort: {
    status: 400,
    title: "The sort parameter names something that this list cannot be sorted by",
    why: "`sort` names a member that this list is not indexed by, or more members than it takes.",
    mend: "Sort by the members that the OpenAPI document lists for `sort`.",
  },
  invalid_include: {
    status: 400,
    title: "The include parameter names something that cannot be included",
    why: "`include` names a relation that this resource does not have, or goes deeper than two steps.",
    mend: "Name relations that the OpenAPI document lists for `include`.",
  },
  answer_too_large: {
    status: 400,
    title: "The answer would be too large",
    why: "The rows that you asked for would make an answer larger than this server sends.",
    mend: "Ask for less: a smaller `limit`, fewer `fields`, or no `include`.",
  },
  invalid_cursor: {
    status: 400,
    title: "The cursor was not issued for this list",
    why: "A cursor belongs to one list with one order and one filter. This one was changed, is of another list, or comes from another version.",
    mend: "Begin at the first page, without `cursor`. Then follow the cursors of the answers and change nothing else.",
  },
  malformed_header: {
    status: 400,
    title: "A request header is malformed",
    why: "A header has a value that its specification does not allow.",
    mend: "Correct the header that `errors` names. Put double quotes around an ETag.",
  },
  multiple_credentials: {
    status: 400,
    title: "The request carries more than one credential",
    why: "The request carries two credentials, and the server does not choose between them.",
    mend: "Send one `Authorization` header.",
  },
  unauthenticated: {
    status: 401,
    title: "This needs a credential",
    why: "This operation needs to know who calls, and the request carries no credential.",
    mend: "Sign in with `POST /sessions`, or use an API key. Send the token or the key as `Authorization: Bearer …`.",
  },
  invalid_token: {
    status: 401,
    title: "The token is not valid",
    why: "The credential is unknown or altered, was revoked, or its session has ended.",
    mend: "Sign in again, or use another API key. Sending the same credential again does not help.",
  },
  token_expired: {
    status: 401,
    title: "The access token has expired",
    why: "An access token is valid for some minutes. This one is older.",
    mend: "Get a new one with `POST /sessions/refresh`, then repeat the request.",
  },
  invalid_credentials: {
    status: 401,
    title: "The email or the password is wrong",
    why: "No account has this email with this password. After many failures the answer stays the same for a while, even for the right password.",
    mend: "Check both. Wait for as long as `Retry-After` says, or reset the password.",
  },
  sign_in_too_old: {
    status: 401,
    title: "This needs a more recent sign-in",
    why: "This operation changes how the account is secured, so it needs a recent sign-in.",
    mend: "Sign in again with the password, then repeat the request with the new token.",
  },
  mfa_required: {
    status: 401,
    title: "This needs the second factor",
    why: "The password is right. The account has a second factor, which is still missing.",
    mend: "Finish the sign-in with a code of the authenticator app or a recovery code.",
  },
  invalid_signature: {
    status: 401,
    title: "The webhook's signature is not valid",
    why: "The signature does not match the bytes that arrived: the secret is a different one, the body was changed on its way, or the message is too old. If the signature is missing, `reason` says so: `header_missing` or `signature_missing`.",
    mend: "Compare the secrets and the clocks of both sides. Nothing between sender and server may rewrite the body.",
  },
  forbidden: {
    status: 403,
    title: "This credential does not allow that",
    why: "The credential is good, but its role does not allow this operation.",
    mend: "Ask an administrator for the role, or use another account.",
  },
  address_unverified: {
    status: 403,
    title: "The address is not verified",
    why: "The operation needs an account whose email address is verified.",
    mend: "Open the link in the verification mail. `POST /email-verifications` sends another.",
  },
  insufficient_scope: {
    status: 403,
    title: "The credential lacks the scope that this needs",
    why: "The credential is limited to scopes, and this operation needs one that it lacks. `WWW-Authenticate` names it.",
    mend: "Make an API key or a client with this scope.",
  },
  not_found: {
    status: 404,
    title: "There is no such thing",
    why: "There is nothing with this id, or you may not see it. Both look the same from outside.",
    mend: "Check the id and the account that you call with.",
  },
  route_not_found: {
    status: 404,
    title: "There is nothing at this path",
    why: "No operation has this path. Paths are exact: `/posts/1/` is not `/posts/1`.",
    mend: "Check the path against the documentation of your version.",
  },
  unknown_version: {
    status: 404,
    title: "There is no such API version",
    why: "The path begins with a version that this server does not have.",
    mend: "`GET /api` lists the versions.",
  },
  unknown_provider: {
    status: 404,
    title: "No such webhook provider is configured",
    why: "The path names a webhook sender that is not configured here.",
    mend: "Configure the provider, or correct the URL that the sender calls.",
  },
  method_not_allowed: {
    status: 405,
    title: "This path does not take that method",
    why: "The path exists, but not with this method. `Allow` lists the methods it takes.",
    mend: "Use one of the methods in `Allow`.",
  },
  not_acceptable: {
    status: 406,
    title: "The answer cannot be given in a form you accept",
    why: "`Accept` excludes every form that this answer has.",
    mend: "Accept `application/json`, or leave `Accept` out.",
  },
  request_timeout: {
    status: 408,
    title: "The request took too long to arrive",
    why: "The request did not arrive completely in the time that the server waits.",
    mend: "Send the request again. If its body is large, look for a slow connection or a proxy that holds it back.",
  },
  conflict: {
    status: 409,
    title: "A value that must be unique is taken",
    why: "Another row has this value, and it must be unique; or the row exists already.",
    mend: "Choose another value for the member that `errors` names, or change the row that has it.",
  },
  account_exists: {
    status: 409,
    title: "An account with this address exists, and the token cannot use it",
    why: "The token of an outside issuer names an address that already has an account here. The token does not prove that both belong to the same person.",
    mend: "Verify the address on both sides, then sign in through the outside issuer again. Or sign in here with the account's own password.",
  },
  state_conflict: {
    status: 409,
    title: "The present state does not allow that",
    why: "The resource is in a state that does not allow this, as `detail` says.",
    mend: "Read the resource again and look at its state. Repeat the request once the state allows it.",
  },
  quota_exceeded: {
    status: 409,
    title: "The owner has reached the quota",
    why: "One owner can have a limited number of these rows, or a limited number of bytes in them. This owner has reached the limit.",
    mend: "Delete rows that you do not need, or ask the operator for a higher quota.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this key is being answered",
    why: "A request with the same `Idempotency-Key` came before and is not finished.",
    mend: "Wait for as long as `Retry-After` says and send the same request again. You get the answer of the first.",
  },
  version_retired: {
    status: 410,
    title: "This API version has been retired",
    why: "This version reached its announced end.",
    mend: "Move to the newest version. The change log says what differs.",
  },
  endpoint_removed: {
    status: 410,
    title: "This operation has been removed",
    why: "The operation reached its announced end, or is switched off for a while before it.",
    mend: "Use the successor that `detail` and `Link` name. `/api/deprecations` has the dates.",
  },
  feature_removed: {
    status: 410,
    title: "The request uses something that has been removed",
    why: "The request uses a parameter or a member that reached its announced end, or that is switched off for a while before it.",
    mend: "Use the replacement that `detail` and `Link` name. `/api/deprecations` has the dates.",
  },
  precondition_failed: {
    status: 412,
    title: "The resource has changed",
    why: "Somebody changed the row after you read it, so your `ETag` is out of date. Or you sent `If-None-Match: *`, and the row exists.",
    mend: "Read the row again, make your change to the new version, and send its new `ETag`.",
  },
  content_too_large: {
    status: 413,
    title: "The request body is too large",
    why: "The body is larger than this operation takes.",
    mend: "Send a smaller body, or split it. An operator can raise `POSTERN_BODY_LIMIT` and `POSTERN_WEBHOOK_BODY_LIMIT`.",
  },
  uri_too_long: {
    status: 414,
    title: "The URL is too long",
    why: "The path and its parameters are longer than this server allows: 8 KiB by default.",
    mend: "Shorten the URL, for example by fewer values in a filter.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The type or coding of the request body is not supported here",
    why: "The body is not in a type or coding that this operation reads, or it does not say its type.",
    mend: "Send `Content-Type: application/json` and JSON; for `PATCH` also `application/merge-patch+json`.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "The idempotency key was used with another request",
    why: "An `Idempotency-Key` belongs to one request. This key came before with another path or body.",
    mend: "Use a new key for a new request. Repeat a request with exactly the same bytes.",
  },
  precondition_required: {
    status: 428,
    title: "This needs an If-Match header",
    why: "In this version a write must name the revision that it is based on, so that nobody overwrites a change they have not seen.",
    mend: "Read the row and send its `ETag` as `If-Match`. `If-Match: *` overwrites whatever is there.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    why: "You sent more requests than the limit allows. `RateLimit-Policy` says how many are allowed.",
    mend: "Wait for as long as `Retry-After` says. Spread your requests over time, and keep answers instead of reading them again.",
  },
  headers_too_large: {
    status: 431,
    title: "The request headers are too large",
    why: "The request line and the headers are longer than this server allows, 16 KiB by default, or there are too many headers.",
    mend: "Send fewer or shorter headers. Look for cookies that grow.",
  },
  internal_error: {
    status: 500,
    title: "Something went wrong here",
    why: "The server has a fault that nobody expected. The request is not to blame.",
    mend: "Send it again, with an `Idempotency-Key` if it writes. Give the `request_id` to the operator, who finds the cause in the log.",
  },
  bad_output: {
    status: 500,
    title: "The answer does not have its declared form",
    why: "The application's own code made an answer that differs from the `output` of its operation. Nothing was written, and nothing of the answer was sent.",
    mend: "Give the `request_id` to the operator: the log names each place that does not fit.",
  },
  hook_failed: {
    status: 500,
    title: "A rule of this application failed",
    why: "The application has code that looks at this write, and that code has a fault. Nothing was written.",
    mend: "Send it again later. Give the `request_id` to the operator, who finds the hook and the cause in the log.",
  },
  not_implemented: {
    status: 501,
    title: "This server does not know that method",
    why: "The server does not know this HTTP method for any path.",
    mend: "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.",
  },
  query_too_slow: {
    status: 503,
    title: "Reading the list takes too long in this way",
    why: "The database needed more time for this list than the server gives to one request.",
    mend: "Filter by less common values, sort by another member, or leave `total` out.",
  },
  unavailable: {
    status: 503,
    title: "Not available at the moment",
    why: "Something that the server needs does not answer, for example its database.",
    mend: "Wait for as long as `Retry-After` says and send it again. Operators: `/health/ready` names what is missing.",
  },
  storage_full: {
    status: 503,
    title: "There is no room left to store anything",
    why: "The server's disk or database is full, so nothing can be written. Reading works.",
    mend: "Try again later. Operators: free some space; writes then work again without a restart.",
  },
  overloaded: {
    status: 503,
    title: "Too busy at the moment",
    why: "The server has more work than it can do in time, so it refuses some requests early.",
    mend: "Wait for as long as `Retry-After` says and send the request again. Wait longer each time.",
  },
  draining: {
    status: 503,
    title: "This server is shutting down",
    why: "This process is about to stop and takes no new work. Another one takes its place.",
    mend: "Send it again at once over a new connection.",
  },
  upstream_unreachable: {
    status: 502,
    title: "The target could not be reached",
    why: "The server called another server for you, and could not connect to it.",
    mend: "Check the address of the target and that it can be reached from the server.",
  },
  upstream_timeout: {
    status: 504,
    title: "The target did not answer in time",
    why: "The server called another server for you, which did not answer in time.",
    mend: "Try again later, or look at why the target is slow.",
  },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof errorCatalogue;

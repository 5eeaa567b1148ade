import type { Answer } from "@postern/core";
import { escapeHtml } from "@postern/rest";
import { noStore } from "./oauth-fault.ts";

/** The fields of a request to authorize, which the forms send on. */
export type AuthorizeFields = Readonly<Record<string, string>>;

interface Shown {
  readonly status: number;
  readonly title: string;
  readonly main: string;
  /**
   * Where the form may lead in addition to this server: the origin or the scheme of a redirect URI.
   */
  readonly leadsTo?: string;
}

/** A policy cannot name an IPv6 address. */
const sourceOf = (leadsTo: string): string => (leadsTo.startsWith("http://[") ? "http:" : leadsTo);

/**
 * A page without scripts, styles or other files. It cannot be framed, and its forms lead to this
 * server and, after that, to the client alone. Same-origin referrers are kept, because browsers
 * send no `Origin` without any.
 */
const page = ({ status, title, main, leadsTo = "" }: Shown): Answer => ({
  status,
  headers: {
    ...noStore,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; form-action 'self'${leadsTo === "" ? "" : ` ${sourceOf(leadsTo)}`}; frame-ancestors 'none'; base-uri 'none'`,
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
  },
  text: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>
${main}
</main></body>
</html>
`,
});

const hidden = (fields: AuthorizeFields): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("\n");

/** The page for a request that cannot be answered at all. */
export const faultPage = (status: number, text: string): Answer =>
  page({ status, title: "This does not work", main: `<p>${escapeHtml(text)}</p>` });

/** Asks for email and password. */
export const signInPage = (
  action: string,
  fields: AuthorizeFields,
  { clientName, fault }: { readonly clientName: string; readonly fault?: string },
): Answer =>
  page({
    status: fault === undefined ? 200 : 401,
    title: "Sign in",
    main: `${fault === undefined ? "" : `<p role="alert">${escapeHtml(fault)}</p>\n`}<p>Sign in to go on to ${escapeHtml(clientName)}.</p>
<form method="post" action="${escapeHtml(action)}">
${hidden({ ...fields, step: "sign-in" })}
<p><label>Email <input type="email" name="email" autocomplete="username" required></label></p>
<p><label>Password <input type="password" name="password" autocomplete="current-password" required></label></p>
<p><button type="submit">Sign in</button></p>
</form>`,
  });

/** Asks for a code of the second factor. The challenge says whose, and ends soon. */
export const codePage = (
  action: string,
  fields: AuthorizeFields,
  {
    clientName,
    challenge,
    fault,
  }: { readonly clientName: string; readonly challenge: string; readonly fault?: string },
): Answer =>
  page({
    status: fault === undefined ? 200 : 401,
    title: "Enter a code",
    main: `${fault === undefined ? "" : `<p role="alert">${escapeHtml(fault)}</p>\n`}<p>To go on to ${escapeHtml(clientName)}, enter the code that your authenticator app shows now, or a recovery code.</p>
<form method="post" action="${escapeHtml(action)}">
${hidden({ ...fields, step: "code", challenge })}
<p><label>Code <input type="text" name="code" autocomplete="one-time-code" minlength="6" maxlength="32" required></label></p>
<p><button type="submit">Go on</button></p>
</form>`,
  });

/** The permission that a user is asked for. */
export interface Asked {
  readonly action: string;
  readonly fields: AuthorizeFields;
  /** The proof that the form comes from this page and this session. */
  readonly proof: string;
  readonly clientName: string;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly leadsTo: string;
  /** How long the grant lasts at most. */
  readonly mostDays: number;
}

/** Asks whether the client may do what it wants. */
export const consentPage = ({ action, fields, proof, clientName, account, scopes, leadsTo, mostDays }: Asked): Answer =>
  page({
    status: 200,
    title: `Allow ${clientName}?`,
    leadsTo,
    main: `<p>${escapeHtml(clientName)} asks to act for you, ${escapeHtml(account)}:</p>
<ul>
${scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join("\n")}
</ul>
<p>You then go to ${escapeHtml(leadsTo)}. You can end this at any time; it ends by itself after at most ${mostDays} ${mostDays === 1 ? "day" : "days"}.</p>
<form method="post" action="${escapeHtml(action)}">
${hidden({ ...fields, step: "consent", proof })}
<p><button type="submit" name="decision" value="allow">Allow</button> <button type="submit" name="decision" value="deny">Deny</button></p>
</form>`,
  });

import type { Answer } from "@postern/core";
import { escapeHtml } from "@postern/rest";
import type { ProductInForce } from "@postern/rest/internal";
import { askingPage } from "../asking-page.ts";
import { noStore } from "./oauth-fault.ts";

/** The fields of a request to authorize, which the forms send on. */
export type AuthorizeFields = Readonly<Record<string, string>>;

interface Shown {
  readonly product: ProductInForce;
  /** What comes before the paths of this server. */
  readonly root: string;
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
 * A page without scripts, in the style of the documentation. It cannot be framed, and its forms lead
 * to this server and, after that, to the client alone. Same-origin referrers are kept, because
 * browsers send no `Origin` without any.
 */
const page = ({ product, root, status, title, main, leadsTo = "" }: Shown): Answer => ({
  status,
  headers: {
    ...noStore,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'${leadsTo === "" ? "" : ` ${sourceOf(leadsTo)}`}; frame-ancestors 'none'; base-uri 'none'`,
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
  },
  text: askingPage({ product, title, root, main }),
});

const hidden = (fields: AuthorizeFields): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("\n");

/** The page for a request that cannot be answered at all. */
export const faultPage = (product: ProductInForce, root: string, status: number, text: string): Answer =>
  page({
    product,
    root,
    status,
    title: "This does not work",
    main: `<p>${escapeHtml(text)}</p>
<p>Go back to where you came from and start again. If it fails again, tell the people who run that site or app.</p>`,
  });

/** Asks for email and password. */
export const signInPage = (
  { product, root, action }: Pick<Asked, "product" | "root" | "action">,
  fields: AuthorizeFields,
  { clientName, fault }: { readonly clientName: string; readonly fault?: string },
): Answer =>
  page({
    product,
    root,
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
  { product, root, action }: Pick<Asked, "product" | "root" | "action">,
  fields: AuthorizeFields,
  {
    clientName,
    challenge,
    fault,
  }: { readonly clientName: string; readonly challenge: string; readonly fault?: string },
): Answer =>
  page({
    product,
    root,
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
  readonly product: ProductInForce;
  /** What comes before the paths of this server. */
  readonly root: string;
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

/** What the right of a scope allows; other words are verbs already, such as `replay`. */
const allowed = new Map([
  ["read", "See"],
  ["write", "Make, change and delete"],
]);

/** A scope in words: `posts:read` is "See posts". */
const wordsOfScope = (scope: string): string => {
  const [things = "", right] = scope.split(":");
  const named = things.replaceAll(/[-_]/g, " ");
  if (right === undefined) return named;
  return `${allowed.get(right) ?? right.charAt(0).toUpperCase() + right.slice(1)} ${named}`;
};

/** Asks whether the client may do what it wants. */
export const consentPage = ({
  product,
  root,
  action,
  fields,
  proof,
  clientName,
  account,
  scopes,
  leadsTo,
  mostDays,
}: Asked): Answer =>
  page({
    product,
    root,
    status: 200,
    title: `Allow ${clientName}?`,
    leadsTo,
    main: `<p>You are signed in as <strong>${escapeHtml(account)}</strong>. ${escapeHtml(clientName)} asks to do this for you:</p>
<ul>
${scopes.map((scope) => `<li>${escapeHtml(wordsOfScope(scope))} <code>${escapeHtml(scope)}</code></li>`).join("\n")}
</ul>
<p>After your answer you go to <strong>${escapeHtml(leadsTo)}</strong>. You can end this permission at any time. It ends by itself after at most ${mostDays} ${mostDays === 1 ? "day" : "days"}.</p>
<form method="post" action="${escapeHtml(action)}">
${hidden({ ...fields, step: "consent", proof })}
<p><button type="submit" name="decision" value="allow">Allow</button> <button class="quiet" type="submit" name="decision" value="deny">Deny</button></p>
</form>`,
  });

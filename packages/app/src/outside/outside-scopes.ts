import { AppError } from "@postern/core";
import type { JwtClaims } from "@postern/core/ports";
import { challenge } from "@postern/rest";
import { claimAt } from "./claim-at.ts";
import { type NamedIssuer, settingName } from "./outside-issuer.ts";

/** Where issuers write what a token may do: RFC 9068; Entra ID and Okta; Auth0. */
const usualClaims: readonly string[] = ["scope", "scp", "permissions"];
/** How much of each claim an error shows. */
const mostShown = 200;

interface ScopeClaim {
  readonly name: string;
  readonly value: unknown;
  /** What it says; `undefined` if it is neither a text nor a list of texts. */
  readonly words: readonly string[] | undefined;
}

const wordsOf = (value: unknown): readonly string[] | undefined => {
  if (typeof value === "string") return value.split(" ").filter((word) => word !== "");
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
};

const shown = ({ name, value }: ScopeClaim): string => `${name} is ${JSON.stringify(value).slice(0, mostShown)}`;

const nothingGranted = (detail: string): AppError =>
  new AppError("insufficient_scope", { detail, headers: challenge("insufficient_scope") });

/**
 * What a genuine token may do: the scopes that its first claim with a known scope names. `undefined`
 * if it may do whatever its user may do: it has no claim about scopes, or a value in `fullAccess`. A
 * restriction that is not understood grants nothing.
 * @throws AppError `insufficient_scope` for a token that may do nothing. It shows what the token says
 *   and names the setting.
 */
export const grantedScopes = (
  claims: JwtClaims,
  outside: NamedIssuer,
  known: readonly string[],
): readonly string[] | undefined => {
  const { scopeClaims = usualClaims, scopePrefix = "", fullAccess = [], scopes = "optional" } = outside;
  const present = scopeClaims
    .map((name) => ({ name, value: claimAt(claims, name) }))
    .filter(({ value }) => value !== undefined)
    .map((claim): ScopeClaim => ({ ...claim, words: wordsOf(claim.value) }));
  if (present.length === 0) {
    if (scopes === "optional") return undefined;
    throw nothingGranted(
      `The token has none of the claims ${scopeClaims.join(", ")}, which ${settingName(outside, "scopes")}=required asks for.`,
    );
  }
  for (const { value, words } of present) {
    // A list may hold other things beside texts: its known scopes are clear, the rest is not.
    const said = words ?? (Array.isArray(value) ? value : []);
    const granted = known.filter((scope) => said.includes(scope) || said.includes(`${scopePrefix}${scope}`));
    if (granted.length > 0) return granted;
  }
  const restricting = present.find(({ words }) => words === undefined || words.length === 0);
  const standsForAll = present.some(({ words = [] }) => words.some((word) => fullAccess.includes(word)));
  if (standsForAll && restricting === undefined) return undefined;
  throw nothingGranted(
    standsForAll && restricting !== undefined
      ? `The token may do nothing here: its ${shown(restricting)}, so no value of ${settingName(outside, "fullAccess")} counts.`
      : `The token names no scope of this API: its ${present.map(shown).join(", its ")}. If one of these values stands for all the user's rights, name it in ${settingName(outside, "fullAccess")}. If its scopes have a prefix, set ${settingName(outside, "scopePrefix")}; if they are in another claim, ${settingName(outside, "scopeClaims")}.`,
  );
};

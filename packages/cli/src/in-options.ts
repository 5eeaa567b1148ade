import type { Command } from "commander";

/** Members of the API that commands call otherwise than by an option of the same name. */
const otherNames: Readonly<Record<string, string>> = {
  tolerance_seconds: "--tolerance",
  overlap_seconds: "--overlap",
  per_second: "--rate",
  received_since: "--since",
  received_before: "--until",
  scopes: "--scope",
  settings: "--setting",
  grant_types: "--grant-type",
  redirect_uris: "--redirect-uri",
  expires_at: "--expires",
};

/**
 * A member before its fault, also with a place inside it (`scopes.0`, `jwks.keys.0.kty`), in
 * backticks, or with an underscore, as no word of a sentence has one.
 */
const members = /\b(\w+)((?:\.\w+)*)(?=: )|`(\w+)`|\b([a-z]+(?:_[a-z]+)+)\b(?!\])/g;

/**
 * An error of the API in the words of a command: members of the API that the command takes as
 * options are called by their options.
 */
export const inOptions = (text: string, { options }: Command): string =>
  text.replaceAll(members, (written, first?: string, inside = "", quoted?: string, joined?: string) => {
    const member = first ?? quoted ?? joined ?? "";
    const option = otherNames[member] ?? `--${member.replaceAll("_", "-")}`;
    if (!options.some(({ long }) => long === option)) return written;
    // A number alone tells nobody which of the values it was; members of a file are worth telling.
    return /[a-z]/.test(inside) ? `${option}, ${inside.slice(1)}` : option;
  });

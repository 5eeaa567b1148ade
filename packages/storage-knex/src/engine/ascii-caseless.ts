/** Escapes a character for a regular expression of PCRE (MariaDB), of ICU (MySQL) and of PostgreSQL. */
const escaped = (character: string): string => (/[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character);

/** A regular expression for a piece of text in which A to Z equal a to z, and nothing else does. */
export const asciiCaseless = (piece: string): string =>
  piece.replaceAll(/[a-z]|[^\p{L}\p{N}\s]/giu, (character) =>
    /[a-z]/i.test(character) ? `[${character.toLowerCase()}${character.toUpperCase()}]` : escaped(character),
  );

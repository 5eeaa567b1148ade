const quotes = ['"', "`"] as const;

/**
 * Returns the text with each name in quotes (`"title"`, `` `-title` ``) as `translate` returns it.
 * A quoted text that `translate` does not know stays as it is, like everything else.
 */
export const withQuotedNames = (text: string, translate: (name: string) => string): string =>
  quotes.reduce((told, quote) => {
    const parts = told.split(quote);
    // The last part comes after the last quote, which may have no partner.
    const last = parts.length - 1;
    return parts.map((part, index) => (index > 0 && index < last ? signed(part, translate) : part)).join(quote);
  }, text);

/** A key of `sort` may have a sign in front. */
const signed = (name: string, translate: (name: string) => string): string =>
  name.startsWith("-") ? `-${translate(name.slice(1))}` : translate(name);

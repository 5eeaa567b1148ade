/** The name of a resource or of its rows in a sentence: `api key` for `api_key`. */
export const spoken = (name: string): string => name.replaceAll(/[-_]/g, " ");

/** The same with its article: `a post`, `an api key`. */
export const oneSpoken = (name: string): string => `${/^[aeio]/.test(name) ? "an" : "a"} ${spoken(name)}`;

/*
 * A list in a query, such as `filter[name][in]=a,b` or `fields=id,title`. Commas separate the values,
 * and a comma that belongs to a value is written `%2C` (RFC 6570; OpenAPI, `style: form`). Or the
 * parameter is repeated (`fields=id&fields=title`), as many clients write lists. Both mean the same.
 * The engine passes such a list on as one text, in which commas within values stay encoded.
 */

/** `filter[field]` and `filter[field][operator]`. */
export const filterName = /^filter\[([^\]]*)\](?:\[([^\]]*)\])?$/;

/** Whether a parameter takes a list of values. Lists of names need no encoding: no name has a comma. */
export const takesValues = (parameter: string): boolean => /^filter\[[^\]]*\]\[n?in\]$/.test(parameter);

/** Whether a parameter takes a list of names. */
export const takesNames = (parameter: string): boolean => /^(?:fields(?:\[[^\]]*\])?|include|sort)$/.test(parameter);

export const listText = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");

export const valuesIn = (list: string): readonly string[] =>
  list.split(",").map((value) => value.replaceAll("%2C", ",").replaceAll("%25", "%"));

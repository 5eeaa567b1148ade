type Query = Readonly<Record<string, string>>;

/**
 * The filters of a list in the API's spelling, without those that have no value. An operator
 * follows the field: `at][gte`.
 */
export const filtersOf = (values: Readonly<Record<string, string | undefined>>): Query =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[`filter[${name}]`, value]])),
  );

/** The options of a page. */
export const pageOf = ({ limit, cursor }: { readonly limit: string; readonly cursor: string | undefined }): Query =>
  cursor === undefined ? { limit } : { limit, cursor };

type Query = Readonly<Record<string, string>>;

/** The filters of a list as the API spells them; those without a value are left out. An operator stands behind the field: `at][gte`. */
export const filtersOf = (values: Readonly<Record<string, string | undefined>>): Query =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[`filter[${name}]`, value]])),
  );

/** The options of a page. */
export const pageOf = ({ limit, cursor }: { readonly limit: string; readonly cursor: string | undefined }): Query =>
  cursor === undefined ? { limit } : { limit, cursor };

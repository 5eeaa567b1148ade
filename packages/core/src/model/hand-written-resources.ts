/**
 * The faults of resources that were written by hand and not made with `defineResource`. A caller
 * without types can do that. Anything that is not a list has none.
 */
export const handWrittenResources = (resources: unknown): readonly string[] =>
  (Array.isArray(resources) ? resources : []).flatMap((resource: unknown, index) =>
    Array.isArray(Object(resource).fieldNames) ? [] : [`resources[${index}]: make it with defineResource`],
  );

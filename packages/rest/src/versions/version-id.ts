/** The name of an API version, as paths contain it: `v1`, `v2`, … */
export type VersionId = `v${number}`;

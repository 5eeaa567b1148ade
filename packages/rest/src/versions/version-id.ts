/** The name of an API version, as it stands in paths: `v1`, `v2`, … */
export type VersionId = `v${number}`;

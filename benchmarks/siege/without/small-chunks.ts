export * from "../../../packages/http/src/node/bound-connections.ts";

/** Chunks are not counted. */
export const countSmallChunks = (): void => undefined;

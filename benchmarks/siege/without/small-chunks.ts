/** Chunks are not counted. */
export const countSmallChunks = (): void => undefined;

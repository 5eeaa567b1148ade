export * from "../../../packages/http/src/node/bound-connections.ts";

/** Every connection is taken. */
export const boundConnections = () => (): void => undefined;

/** Every connection is taken. */
export const boundConnections = (): void => undefined;

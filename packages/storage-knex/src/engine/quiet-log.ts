const silent = () => undefined;

/**
 * Without this, Knex would write to the console. Every failure reaches the caller as an error
 * anyway.
 */
export const quietLog = { debug: silent, warn: silent, error: silent, deprecate: silent };

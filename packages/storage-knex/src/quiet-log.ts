const silent = () => undefined;

/** Knex would write to the console; whatever goes wrong reaches the caller as an error. */
export const quietLog = { debug: silent, warn: silent, error: silent, deprecate: silent };

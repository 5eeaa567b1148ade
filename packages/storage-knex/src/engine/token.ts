import { randomInt } from "node:crypto";

/**
 * A random number for a runner or a lease. It is never handed out twice, whatever became of the
 * database: two processes cannot take each other's lock, beat, claim, end or retirement for their own.
 */
export const newToken = (): number => randomInt(1, 2 ** 48 - 1);

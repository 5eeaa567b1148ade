/**
 * The definition of a port in code: what every adapter promises, case by case. An adapter's test
 * file runs each case on a fresh port:
 *
 *     for (const [promise, keep] of Object.entries(jobStoreContract)) test(promise, () => withFreshStorage(keep));
 */
export type Contract<Port> = Readonly<Record<string, (port: Port) => Promise<void>>>;

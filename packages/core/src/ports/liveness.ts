/**
 * Says whether the process of a runner still exists, by a lock that is released when the process
 * ends, however it ends. Driven port.
 */
export interface Liveness {
  /** Takes the runner's lock for this process and keeps it until you release it. */
  hold(runnerId: number): Promise<{ release(): Promise<void> }>;
  /**
   * `true`: the lock is held. `false`: it is free. `undefined`: locks cannot tell on this storage;
   * judge by heartbeat.
   */
  isHeld(runnerId: number): Promise<boolean | undefined>;
}

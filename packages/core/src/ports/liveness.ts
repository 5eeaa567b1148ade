/**
 * Says whether a runner's process is still there, by a lock that ends with the process, however it ends. Driven port.
 */
export interface Liveness {
  /** Takes the runner's lock for this process and keeps it until released. */
  hold(runnerId: number): Promise<{ release(): Promise<void> }>;
  /** `true`: its lock is held. `false`: nobody holds it. `undefined`: locks cannot tell here; judge by heartbeat. */
  isHeld(runnerId: number): Promise<boolean | undefined>;
}

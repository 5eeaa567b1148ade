import type { Wakeup } from "../ports/wakeup.ts";

/**
 * The wake-up of one process; production uses it too. Listeners run right after the turn that
 * notified them. So they do not hold up the code that committed the work, and if one throws, this
 * becomes an unhandled rejection instead of a failed commit. If a subscription ends in between, its
 * listener is not called.
 */
export const inProcessWakeup = (): Wakeup => {
  const subscriptions = new Set<{ readonly listener: () => void }>();
  return {
    notify: () => {
      for (const subscription of subscriptions) {
        void Promise.resolve().then(() => {
          if (subscriptions.has(subscription)) subscription.listener();
        });
      }
    },
    subscribe: (listener) => {
      const subscription = { listener };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
      };
    },
  };
};

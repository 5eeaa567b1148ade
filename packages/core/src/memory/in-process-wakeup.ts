import type { Wakeup } from "../ports/wakeup.ts";

/**
 * The wake-up of one process; production uses it too. Listeners run right after the turn that notified them: whoever committed work is not
 * held up by them, and what one of them throws becomes an unhandled rejection instead of a failed commit. A subscription that ends in
 * between is not called any more.
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

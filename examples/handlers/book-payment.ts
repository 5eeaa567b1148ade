import { on, Permanent, RetryAt, Snooze } from "@postern/server";

/** Tells the bookkeeping service about each payment. */
export const bookPayment = on(
  "demo",
  "invoice.paid",
  async ({ data }, { signal, idempotencyKey, now }) => {
    const answer = await fetch("https://books.example.com/payments", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: JSON.stringify(data),
      signal,
    });
    if (answer.ok) return;
    // The books are closed for a moment. Ask again in a minute; the attempt does not count.
    if (answer.status === 423) throw new Snooze(60_000, "the books are closed");
    // They say when to come again.
    const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
    if (seconds > 0) throw new RetryAt(now() + seconds * 1000, `books: ${answer.status}`);
    // Their answer will be the same next time.
    if (answer.status < 500) throw new Permanent(`books: ${answer.status}`);
    // Everything else runs again by `retry`.
    throw new Error(`books: ${answer.status}`);
  },
  {
    name: "books",
    queue: "books",
    timeoutMs: 30_000,
    retry: { delaysMs: [5_000, 60_000, 600_000, 3_600_000] },
  },
);

import { api } from "./address.ts";
import { accessToken, apiAddress } from "./session.ts";

const triesEveryMs = 10_000;

/**
 * Calls `onNews` whenever something of this kind has happened, until it is aborted. `onConnected` says
 * whether the server tells at once; if it does not, the caller asks now and then.
 */
export const follow = async (
  kind: "event" | "job" | "alert",
  {
    signal,
    onNews,
    onConnected,
  }: {
    readonly signal: AbortSignal;
    readonly onNews: () => void;
    readonly onConnected: (isConnected: boolean) => void;
  },
): Promise<void> => {
  while (!signal.aborted) {
    try {
      // An EventSource cannot send the token.
      const response = await fetch(apiAddress(api("/admin/feed", { kind })), {
        headers: { accept: "text/event-stream", authorization: `Bearer ${await accessToken()}` },
        signal,
      });
      const reader = response.ok ? response.body?.pipeThrough(new TextDecoderStream()).getReader() : undefined;
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        onConnected(true);
        if (part.value.includes("data:")) onNews();
      }
    } catch {
      // The connection has ended. The next try tells whether the server is there again.
    }
    onConnected(false);
    await new Promise((resolve) => setTimeout(resolve, triesEveryMs));
  }
};

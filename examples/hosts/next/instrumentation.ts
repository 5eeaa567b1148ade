/** Next.js calls this when its server starts, before the first request. */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME === "nodejs") await import("./instrumentation-node");
};

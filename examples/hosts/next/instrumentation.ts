/** Next.js calls this when its server starts, before the first request: jobs run from then on. */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { postern } = await import("./lib/postern");
  await postern();
};

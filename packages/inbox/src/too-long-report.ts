import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { createBoundedLines } from "@postern/core/internal";

/**
 * Returns how a webhook that could not be stored is counted. Reports one that is longer than the
 * database takes, for a sender at most once in a minute: every retry will be refused as well.
 */
export const createTooLongReport = (ports: Pick<Ports, "clock" | "telemetry" | "alerts">) => {
  const isNews = createBoundedLines(ports, {
    level: "error",
    message: "further webhooks were longer than the database takes",
    mostAlike: 1,
  });
  return (provider: string, thrown: unknown): "busy" | "too_large" => {
    if (!(thrown instanceof AppError) || thrown.code !== "content_too_large") return "busy";
    if (isNews(provider, { provider })) {
      const text = `A webhook of ${provider} is longer than the database takes, and was answered 413. \`postern doctor\` says what to set.`;
      ports.telemetry.log("error", "a webhook is longer than the database takes", { provider }, thrown);
      ports.alerts.raise({ kind: "webhook.too_large", text, details: { provider } });
    }
    return "too_large";
  };
};

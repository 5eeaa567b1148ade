import { mailSentences } from "./mail.ts";
import { canSign } from "./providers.ts";
import type { RunningServer } from "./start-server.ts";

/** The text for a person when the server is up: where things are and what to try. */
export const bannerOf = ({ url, admin, composition }: RunningServer): string => {
  if (url === undefined) return "\nPostern is working on jobs. Stop with Ctrl-C.\n";
  const [provider] = composition.providers;
  const lines = [
    "",
    "Postern is ready",
    `  API       ${url}/api`,
    `  Docs      ${url}/api/v2/docs`,
    `  Health    ${url}/health/ready`,
    `  Webhooks  ${url}/api/webhooks/{provider}   here: ${composition.providers.map(({ name }) => name).join(", ")}`,
    "",
    ...(admin === "none"
      ? [
          "Make the first administrator:",
          "  npm run -s postern users create -- --name Ada --email ada@example.com --role admin",
          "  (or start with POSTERN_ADMIN_EMAIL and POSTERN_ADMIN_PASSWORD set)",
          "",
        ]
      : []),
    ...(provider === undefined || !canSign(provider)
      ? []
      : ["Send a signed test webhook:", `  npm run -s postern send ${provider.name} -- --url ${url}`, ""]),
    ...(composition.parts.includes("users") && composition.ports.mailer.target !== "server"
      ? [`Mail: ${mailSentences[composition.ports.mailer.target]}.`, ""]
      : []),
    "Stop with Ctrl-C.",
    "",
  ];
  return lines.join("\n");
};

import { mailSentences } from "./mail.ts";
import { canSign } from "./providers.ts";
import type { RunningServer } from "./start-server.ts";

/** How the server was started. */
export interface StartedFrom {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** How the command line is called where the server was started: a clone has a script for it. */
const commandLineOf = ({ environment, platform }: StartedFrom): string => {
  if (environment.CALLED_AS !== undefined) return environment.CALLED_AS;
  if (environment.npm_lifecycle_event === undefined) return "postern";
  return platform === "win32" ? "npm run -s postern --" : "./postern";
};

/** The text for a person when the server is up: where things are and what to try. */
export const bannerOf = (
  { url, basePath, admin, console: ui, composition, databaseDriver, handlersWithoutSender }: RunningServer,
  from: StartedFrom = { environment: process.env, platform: process.platform },
): string => {
  if (url === undefined) return "\nPostern is working on jobs. Stop with Ctrl-C.\n";
  const [provider] = composition.providers;
  const base = url + basePath;
  const postern = commandLineOf(from);
  const lines = [
    "",
    "Postern is ready",
    ...(ui === undefined ? [] : [`  Console   ${base}/console/`]),
    `  API       ${base}/api`,
    `  Docs      ${base}/api/docs`,
    `  Health    ${base}/health/ready`,
    `  Webhooks  ${base}/api/webhooks/{provider}   here: ${composition.providers.map(({ name }) => name).join(", ")}`,
    `  Database  ${databaseDriver}`,
    "",
    ...(admin === "none"
      ? [
          ...(ui?.setup === undefined
            ? [
                "Make the first administrator:",
                ...(ui === undefined ? [] : [`  ${postern} setup-link   prints a link for it`]),
              ]
            : [
                "Make the first administrator in your browser (once, within 30 minutes):",
                `  ${base}/console/#/setup/${ui.setup}`,
                `Later, ${postern} setup-link prints another link. Or on the command line:`,
              ]),
          `  ${postern} users create --name Grace --email grace@example.com --role admin`,
          `  (or ${postern} users promote <email> for a user that exists,`,
          "  or start with POSTERN_ADMIN_EMAIL and POSTERN_ADMIN_PASSWORD set)",
          "",
        ]
      : []),
    ...(provider === undefined || !canSign(provider)
      ? []
      : ["Send a signed test webhook:", `  ${postern} send ${provider.name} --url ${base}`, ""]),
    ...handlersWithoutSender.flatMap(({ name, provider: sender }) => [
      `The handler ${name} gets no events: no sender "${sender}" is configured. Add it:`,
      `  ${postern} providers add ${sender}`,
      "",
    ]),
    ...(composition.parts.includes("users") && composition.ports.mailer.target !== "server"
      ? [`Mail: ${mailSentences[composition.ports.mailer.target]}.`, ""]
      : []),
    "Stop with Ctrl-C.",
    "",
  ];
  return lines.join("\n");
};

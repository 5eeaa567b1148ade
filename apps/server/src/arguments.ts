import { readFileSync } from "node:fs";

interface Output {
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
  readonly stderr: Pick<NodeJS.WriteStream, "write">;
}

const help = `Starts Postern's server. Its settings are environment variables: see docs/configuration.md.
  --version, -V   prints the version
  --help, -h      prints this
The command line is another program: postern --help
`;

const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return (manifest as { readonly version: string }).version;
};

/**
 * What the server's program does with arguments. It starts no server: somebody who gives an argument
 * expects something else. Returns the exit code: 2 for what it does not know.
 */
export const answerArguments = ([first = ""]: readonly string[], { stdout, stderr }: Output): 0 | 2 => {
  if (first === "--version" || first === "-V") stdout.write(`${version()}\n`);
  else if (first === "--help" || first === "-h") stdout.write(help);
  else {
    stderr.write(`The server takes no argument "${first}". --help says what it takes.\n`);
    return 2;
  }
  return 0;
};

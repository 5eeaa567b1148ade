import { Argument, type Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type Place, placesOf } from "../completion/place.ts";
import { zshScript } from "../completion/zsh.ts";
import { hint, type Terminal } from "../terminal.ts";

const scripts: ReadonlyMap<string, (places: readonly Place[]) => string> = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

const installation = `
To install it, and again after an update:
  bash  postern completion bash > ~/.postern.bash && echo '. ~/.postern.bash' >> ~/.bashrc
  zsh   postern completion zsh > ~/.postern.zsh && echo '. ~/.postern.zsh' >> ~/.zshrc
  fish  postern completion fish > ~/.config/fish/completions/postern.fish`;

/** `postern completion`. The scripts are made from all commands, which `loadAll` loads. */
export const addCompletionCommand = (
  completion: Command,
  terminal: Terminal,
  _onExit: (code: number) => void,
  loadAll: () => Promise<Command>,
): void => {
  completion
    .addArgument(new Argument("<shell>", "the shell").choices([...scripts.keys()]))
    .addHelpText("after", hint(installation, terminal))
    .action(async (shell: string) => {
      terminal.stdout.write(scripts.get(shell)?.(placesOf(await loadAll())) ?? "");
    });
};

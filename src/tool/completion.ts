import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Command } from 'commander';
import { bare } from './command.ts';
import { printAnswer } from './report/output.ts';

/**
 * The library's script for bash evaluates what is typed, so that Tab after `> file` empties the
 * file. These scripts pass the words as they are, and let the shell complete files where nothing is
 * known. A line with a colon is a note of the library to its scripts.
 */
const scripts = {
  bash: `_registry() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(registry complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null |
    grep -v '^:' | cut -f 1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _registry registry`,
  zsh: `_registry() {
  local -a found=("\${(@f)$(registry complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | grep -v '^:')}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "$found" ]]; then _describe registry found; else _files; fi
}
compdef _registry registry`,
  fish: `function __registry_find
  set -g __registry_found (registry complete -- (commandline -opc)[2..] "$(commandline -ct)" 2>/dev/null |
    string match -v ':*')
end
complete -c registry -n '__registry_find; test -n "$__registry_found"' -f -a '$__registry_found'`,
};

export const completionCommand = bare('completion', 'completion bash')
  .description('Print the script that completes what you type after registry')
  .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish'] as const))
  .addHelpText(
    'after',
    `
With a link to src/tool/registry in your PATH, add this to ~/.bashrc, ~/.zshrc (after compinit) or config.fish:
  eval "$(registry completion bash)"
  eval "$(registry completion zsh)"
  registry completion fish | source`,
  )
  .action((shell) => printAnswer(`${scripts[shell]}\n`)) as unknown as CommandUnknownOpts;

export async function printCompletions(
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<void> {
  // In the bundle, an import at the top would be loaded by every command.
  const { default: tab } = await import('@bomb.sh/tab/commander');
  tab(program as unknown as Command, { completionCommandName: 'completion' }).parse([...words]);
}

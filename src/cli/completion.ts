import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { bare } from './command.ts';
import { writeAnswer } from './report/output.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** The command that prints the words of the whole program, which it loads only then. */
export function completionCommand(wholeProgram: () => Promise<CommandUnknownOpts>) {
  return bare('completion', 'completion bash', 'completion fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
It completes the command "registry": put src/cli/registry into your PATH or give it an alias, then
  bash:  source <(registry completion bash)
  zsh:   source <(registry completion zsh)
  fish:  registry completion fish | source`,
    )
    .action(async (shell) => {
      const words = wordsAfter(await wholeProgram(), '');
      const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
      await writeAnswer(`${script(words)}\n`);
    });
}

/** The words that may follow each command, by its own words. */
function wordsAfter(command: CommandUnknownOpts, path: string): Map<string, string[]> {
  // The verb that may be left out; Commander has no public name for it.
  const { _defaultCommandName: unnamed } = command as { _defaultCommandName?: string };
  const options = [command, ...command.commands.filter((verb) => verb.name() === unnamed)]
    .flatMap((each) => each.options)
    .flatMap(({ long }) => (long ? [long] : []));
  const words = new Map([[path, [...command.commands.map((each) => each.name()), ...options]]]);
  for (const child of command.commands) {
    for (const entry of wordsAfter(child, `${path} ${child.name()}`.trim())) words.set(...entry);
  }
  return words;
}

function bashScript(words: Map<string, string[]>): string {
  const cases = [...words].map(
    ([path, next]) => `    ${JSON.stringify(path)}) words=${JSON.stringify(next.join(' '))} ;;`,
  );
  return `_registry() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) break ;; *) [ "$(wc -w <<< "$path")" -lt 2 ] && path="\${path:+$path }$word" ;; esac
  done
  for path in "$path" "\${path%% *}"; do
    words=''
    case $path in
${cases.join('\n')}
    esac
    [ -n "$words" ] && break
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _registry registry`;
}

/** zsh runs bash's completions. */
function zshScript(words: Map<string, string[]>): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
}

function fishScript(words: Map<string, string[]>): string {
  const lines = [...words].flatMap(([path, next]) => {
    const condition = path === '' ? '__fish_use_subcommand' : `__registry_at ${path}`;
    return next.map((word) =>
      word.startsWith('--')
        ? `complete -c registry -n '${condition}' -l ${word.slice(2)}`
        : `complete -c registry -f -n '${condition}' -a ${word}`,
    );
  });
  return `function __registry_at
  set -l words (commandline -opc)[2..]
  test "$words[1..(count $argv)]" = "$argv"
end
${lines.join('\n')}`;
}

/** Completion for bash, 3.2 and newer. A command that is called by its path is found by its name. */

import { shellWord } from '../../base/format-command.ts';
import type { Completion } from './completion.ts';

const list = (words: string[]) => shellWord(words.join(' '));

export const bashScript = ({
	commands,
	options,
	variables,
}: Completion): string => `# Completion of doubletake, for ~/.bashrc: eval "$(doubletake completion bash)"
_doubletake() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} variable='' command='' words='' options='' index
  # Bash takes a word apart at "=".
  if [[ $current == = ]]; then
    variable=$previous current=''
  elif [[ $previous == = ]]; then
    variable=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $previous == --* ]]; then
    variable=$previous
  fi
  case $variable in
${variables
	.filter(({ values }) => values.length > 0)
	.map(({ name, flag, values }) => `    ${name} | ${flag}) words=${list(values)} ;;\n`)
	.join('')}  esac
  if [[ -n $words || $variable == [A-Z]* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    [[ \${COMP_WORDS[index]} == [-=]* || \${COMP_WORDS[index - 1]} == = || \${COMP_WORDS[index + 1]} == = ]] && continue
    command=\${COMP_WORDS[index]}
    break
  done
  case $command in
    '') words=${list(commands.map(({ name }) => name))} ;;
${commands.map(({ name, values, options: own }) => `    ${name}) words=${list(values)} options=${list(own)} ;;\n`).join('')}  esac
  case $current in
    -*) words="$options ${[...options, ...variables.map(({ flag }) => flag)].join(' ')}" ;;
    [A-Z]*) words=${list(variables.map(({ name }) => `${name}=`))} ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _doubletake doubletake
`;

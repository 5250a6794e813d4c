/** Completion for zsh. */

import { shellWord } from '../../base/format-command.ts';
import type { Completion, Variable } from './completion.ts';

const zshList = (words: string[]) => words.map(shellWord).join(' ');

/** Of `_describe`, which takes the name up to the first colon. */
const described = ({ name, about }: { name: string; about: string }) => `      ${shellWord(`${name}:${about}`)}\n`;

/** Branches that offer the values of choices. */
const chosen: (variables: Variable[], spelt: (one: Variable) => string, then?: string) => string = (variables, spelt, then = '') =>
	variables
		.filter(({ values }) => values.length > 0)
		.map((one) => `      ${spelt(one)}) compadd -- ${zshList(one.values)}${then} ;;\n`)
		.join('');

export const zshScript = ({ commands, options, variables }: Completion): string => `#compdef doubletake
# Completion of doubletake, for ~/.zshrc after compinit: eval "$(doubletake completion zsh)"
_doubletake() {
  local current=\${words[CURRENT]} command='' word
  local -a offers
  if [[ $current == [A-Z]*=* ]]; then
    compset -P '*='
    case \${current%%=*} in
${chosen(variables, ({ name }) => name)}      *) _files ;;
    esac
    return
  fi
  if [[ $current != -* ]]; then
    case \${words[CURRENT-1]} in
${chosen(variables, ({ flag }) => flag, '; return')}    esac
  fi
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* || $word == *=* ]] && continue
    command=$word
    break
  done
  case $current in
    -*)
      offers=(${zshList([...options, ...variables.map(({ flag }) => flag)])})
      case $command in
${commands
	.filter(({ options: own }) => own.length > 0)
	.map(({ name, options: own }) => `        ${name}) offers+=(${zshList(own)}) ;;\n`)
	.join('')}      esac
      compadd -- $offers
      return
      ;;
    [A-Z]*)
      compadd -S '' -- ${zshList(variables.map(({ name }) => `${name}=`))}
      return
      ;;
  esac
  case $command in
    '')
      offers=(
${commands.map(described).join('')}      )
      _describe command offers
      ;;
${commands
	.filter(({ values }) => values.length > 0)
	.map(({ name, values }) => `    ${name}) compadd -- ${zshList(values)} ;;\n`)
	.join('')}    *) _files ;;
  esac
}
compdef _doubletake doubletake
`;

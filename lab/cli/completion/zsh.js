/**
 * Completion for zsh.
 */
import { shellWord } from '../../base/shell-word.js';

/** @param {string[]} words */
const list = (words) => words.map(shellWord).join(' ');

/** Of `_describe`, which takes the name up to the first colon. @param {{ name: string, about: string }} command */
const described = ({ name, about }) => `      ${shellWord(`${name}:${about}`)}\n`;

/** Branches that offer the values of choices. @type {(variables: import('./completion.js').Variable[], spelt: (one: import('./completion.js').Variable) => string, then?: string) => string} */
const chosen = (variables, spelt, then = '') =>
  variables
    .filter(({ values }) => values.length > 0)
    .map((one) => `      ${spelt(one)}) compadd -- ${list(one.values)}${then} ;;\n`)
    .join('');

/**
 * @param {import('./completion.js').Completion} completion
 * @returns {string}
 */
export const zshScript = ({ commands, options, variables }) => `#compdef doubletake
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
      offers=(${list([...options, ...variables.map(({ flag }) => flag)])})
      case $command in
${commands
  .filter(({ options: own }) => own.length > 0)
  .map(({ name, options: own }) => `        ${name}) offers+=(${list(own)}) ;;\n`)
  .join('')}      esac
      compadd -- $offers
      return
      ;;
    [A-Z]*)
      compadd -S '' -- ${list(variables.map(({ name }) => `${name}=`))}
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
  .map(({ name, values }) => `    ${name}) compadd -- ${list(values)} ;;\n`)
  .join('')}    *) _files ;;
  esac
}
compdef _doubletake doubletake
`;

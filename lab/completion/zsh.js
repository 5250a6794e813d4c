/**
 * Completion for zsh.
 */
import { shellWord } from '../define/shell-word.js';

/** @param {string[]} words */
const list = (words) => words.map(shellWord).join(' ');

/** Of `_describe`, which takes the name up to the first colon. @param {{ name: string, about: string }} command */
const described = ({ name, about }) => `      ${shellWord(`${name}:${about}`)}\n`;

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
${Object.entries(variables)
  .filter(([, values]) => values.length > 0)
  .map(([name, values]) => `      ${name}) compadd -- ${list(values)} ;;\n`)
  .join('')}      *) _files ;;
    esac
    return
  fi
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* || $word == *=* ]] && continue
    command=$word
    break
  done
  case $current in
    -*)
      offers=(${list(options)})
      case $command in
${commands
  .filter(({ options: own }) => own.length > 0)
  .map(({ name, options: own }) => `        ${name}) offers+=(${list(own)}) ;;\n`)
  .join('')}      esac
      compadd -- $offers
      return
      ;;
    [A-Z]*)
      compadd -S '' -- ${list(Object.keys(variables).map((name) => `${name}=`))}
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

/**
 * Completion for fish, 3.1 and newer.
 */
import { shellWord } from '../../base/shell-word.js';

/** @param {string} name */
const at = (name) => `complete -c doubletake -n ${shellWord(`__doubletake_at ${name}`)}`;

/** @param {string} option  as it is written, such as `--json` */
const long = (option) => `-l ${option.slice('--'.length)}`;

/** Each with every value it may have; fish puts no space behind an equals sign. @param {import('./completion.js').Variable[]} variables */
const assignments = (variables) =>
  variables.flatMap(({ name, values }) => (values.length > 0 ? values : ['']).map((value) => `${name}=${value}`));

/** @param {import('./completion.js').Variable} variable */
const flagLine = ({ flag, values }) =>
  `complete -c doubletake ${long(flag)} -r${values.length > 0 ? ` -f -a ${shellWord(values.join(' '))}` : ''}\n`;

/**
 * @param {import('./completion.js').Completion} completion
 * @returns {string}
 */
export const fishScript = ({ commands, options, variables }) => `# Completion of doubletake: doubletake completion fish | source
function __doubletake_command
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -qr -- '^-|=' $word; and continue
        echo $word
        return
    end
end
function __doubletake_at
    set -l command (__doubletake_command)
    test "$command" = "$argv"
end
${options.map((option) => `complete -c doubletake ${long(option)}\n`).join('')}${variables.map(flagLine).join('')}${commands.map((command) => commandLines(command)).join('')}complete -c doubletake -n 'string match -qr "^[A-Z]" -- (commandline -ct)' -f -a ${shellWord(assignments(variables).join(' '))}
`;

/** @param {import('./completion.js').CompletedCommand} command */
function commandLines({ name, about, values, options }) {
  return [
    `${at('')} -f -a ${name} -d ${shellWord(about)}`,
    ...(values.length > 0 ? [`${at(name)} -f -a ${shellWord(values.join(' '))}`] : []),
    ...options.map((option) => `${at(name)} ${long(option)}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

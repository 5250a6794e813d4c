/** Completion for fish, 3.1 and newer. */

import { shellWord } from '../../base/format-command.ts';
import type { CompletedCommand, Completion, Variable } from './completion.ts';

const at = (name: string) => `complete -c doubletake -n ${shellWord(`__doubletake_at ${name}`)}`;

/** @param option as it is written, such as `--json` */
const long = (option: string) => `-l ${option.slice('--'.length)}`;

/** Each with every value it may have; fish puts no space behind an equals sign. */
const assignments = (variables: Variable[]) =>
	variables.flatMap(({ name, values }) => (values.length > 0 ? values : ['']).map((value) => `${name}=${value}`));

const flagLine = ({ flag, values }: Variable) =>
	`complete -c doubletake ${long(flag)} -r${values.length > 0 ? ` -f -a ${shellWord(values.join(' '))}` : ''}\n`;

export const fishScript = ({
	commands,
	options,
	variables,
}: Completion): string => `# Completion of doubletake: doubletake completion fish | source
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

function commandLines({ name, about, values, options }: CompletedCommand) {
	return [
		`${at('')} -f -a ${name} -d ${shellWord(about)}`,
		...(values.length > 0 ? [`${at(name)} -f -a ${shellWord(values.join(' '))}`] : []),
		...options.map((option) => `${at(name)} ${long(option)}`),
	]
		.map((line) => `${line}\n`)
		.join('');
}

/** The options as the help shows them: a line each, in the Makefile and of a command. */

import { PROJECT_FILE } from '../catalog/project-schema.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { OPTION_NAMES } from '../options/accepted-options.ts';
import { OPTIONS } from '../options/options.ts';
import { columns, wrapped } from './columns.ts';
import { flagOf } from './command-line.ts';
import type { Row } from './help.ts';

/**
 * In a line, without marks of code.
 * @param file that may say otherwise
 */
function aboutIn({ help, otherwise }: { help: string; otherwise?: string | null }, file?: string) {
	const unless = otherwise == null ? '' : ` (${otherwise}${file ? `, or what ${file} says,` : ''} unless given)`;
	return `${help}${unless}`.replaceAll('`', '');
}

/** As it is about a user's own system. */
function aboutOwn(name: string) {
	const { as, ...own } = OPTIONS[name].scope.at?.[LISTED] ?? {};
	return aboutIn({ ...OPTIONS[name], ...own }, as && `${as} in ${PROJECT_FILE}`);
}

const takes: (commands: readonly string[], command: string) => boolean = (commands, command) =>
	commands.some((one) => one.split(' ')[0] === command);

/** Those that a command takes, about whatever system; what architectures have of their own `list` tells. */
const namesOf = (command: string) =>
	OPTION_NAMES.filter((name) => {
		const { commands, systems, at = {} } = OPTIONS[name].scope;
		return systems === undefined && takes([...commands, ...Object.values(at).flatMap((there) => there.commands)], command);
	});

/** Those that it takes about a user's own system. */
const namesOfOwn = (command: string) =>
	namesOf(command).filter((name) => {
		const { commands, scenarios, at } = OPTIONS[name].scope;
		return takes(at?.[LISTED]?.commands ?? (scenarios?.includes(LISTED) === false ? [] : commands), command);
	});

/** Whether it measures a user's own system too. */
const isOfProject = (command: string) => OPTION_NAMES.some((name) => takes(OPTIONS[name].scope.at?.[LISTED]?.commands ?? [], command));

/**
 * What `--help` of a command ends with; empty where it takes none.
 * @param isOwn it is asked for beside the files of a user's own system, whose standards are then said
 */
export function optionsHelp(command: string, isOwn: boolean = false) {
	const isAboutOwn = isOwn && isOfProject(command);
	const names = isAboutOwn ? namesOfOwn(command) : namesOf(command);
	if (names.length === 0) return '';
	const [name] = names;
	const rows = names.map((one) => [flagOf(one), isAboutOwn ? aboutOwn(one) : aboutIn(OPTIONS[one])] as Row);
	const more = isAboutOwn ? 'More options for the system of this folder' : 'More options';
	const heading = wrapped(`${more}, as ${flagOf(name)} <value>, or as ${name}=<value> before the command or behind it:`);
	return `\n${heading}\n${columns(rows)}`;
}

const OPTIONS_START = /^#: Options, with their standard values:\n/m;
const OPTIONS_END = /^#: {3}Others are an architecture's own: make list/m;

/**
 * @returns with the options of the table in its help
 * @throws {Error} when the lines are missing between which they stand
 */
export function withOptions(makefile: string): string {
	const [start, end] = [OPTIONS_START.exec(makefile), OPTIONS_END.exec(makefile)];
	if (!start || !end) throw new Error(`expected the lines ${OPTIONS_START.source} and ${OPTIONS_END.source} in the Makefile`);
	const names = OPTION_NAMES.filter((name) => OPTIONS[name].scope.systems === undefined);
	const rows = names.map((name) => [`${name}=${OPTIONS[name].standard ?? ''}`, aboutIn(OPTIONS[name])]);
	const width = Math.max(...rows.map(([given]) => given.length));
	const lines = rows.map(([given, about]) => `#:   ${given.padEnd(width)} ${about}\n`).join('');
	return `${makefile.slice(0, start.index)}${start[0]}${lines}${makefile.slice(end.index)}`;
}

/**
 * What the help says beside what Commander makes of the commands: how to start, examples of each command, and the options of the table.
 */

import { join } from 'node:path';
import { IS_CHECKOUT, ROOT } from '../base/paths.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { OPTION_NAMES } from '../options/accepted-options.ts';
import { OPTIONS } from '../options/options.ts';
import { columns, wrapped } from './columns.ts';
import { flagOf } from './command-line.ts';

/** what is typed, and what it does */
type Row = [string, string];

const START: Row[] = [
	['doubletake init', 'describe your services in doubletake.yaml'],
	['doubletake run', 'measure a copy of it, write a report'],
	['doubletake open', 'show the report in the browser'],
	['doubletake prove', 'try what ends the failures'],
	['doubletake compare --a rev:HEAD~1', 'is it better than one commit ago?'],
	['doubletake run a', 'or measure an example'],
];

/** What `doubletake --help` begins with. */
export const startHelp = () =>
	`Doubletake measures your Compose system under load.
It says which tier lost each failed request, and why.

Start in the folder of your Compose file:
${columns(START)}
${IS_CHECKOUT ? `Until it is installed, "doubletake" is ${join(ROOT, 'lab/doubletake')}.\n` : ''}"doubletake <command> --help" shows the options of a command, and examples.
`;

/** By command. */
const EXAMPLES: Record<string, Row[]> = {
	init: [
		['doubletake init', 'from the files that docker compose would take'],
		['doubletake init compose.yaml compose.prod.yaml', 'from these two'],
		['doubletake init --observe', 'a copy comes up, and shows who asks whom'],
	],
	run: [
		['doubletake run', 'the system of doubletake.yaml'],
		['doubletake run --load hold --users 400', 'the same with 400 users from the start'],
		["doubletake run --expect 'failure_rate<0.001'", 'in a pipeline: it ends with 3 where more fail'],
		["doubletake run --fault 'kill web-1@20s+5s'", 'a container is killed after 20 s, for 5 s'],
		['doubletake run 2a --load smoke', 'an architecture that Doubletake brings along'],
	],
	prove: [
		['doubletake prove', 'of the last run of this folder'],
		['doubletake prove --relief tuned.yaml', 'does this Compose file end it?'],
		['doubletake prove reports/latest/2a', 'of a run, by its folder'],
	],
	squeeze: [
		['doubletake squeeze', 'of the last run of this folder'],
		['doubletake squeeze reports/latest/2a', 'of a run, by its folder'],
	],
	limit: [
		['doubletake limit', 'more and more users'],
		["doubletake limit --rate 50 --expect 'failure_rate<0.01'", 'requests a second, from 50 on'],
	],
	compare: [
		['doubletake compare --a POOL=8 --b POOL=32', 'two values of a variable of the Compose file'],
		['doubletake compare POOL=2,5,10,20', 'several: which differ?'],
		['doubletake compare --b compose.yaml,tuned.yaml', 'the folder as it is, and other Compose files'],
		['doubletake compare --a rev:HEAD~1', 'the last commit but one, and the folder as it is'],
		['doubletake compare A=a B=2a --load smoke', 'two architectures that Doubletake brings along'],
	],
	experiment: [
		['doubletake experiment', 'the question of experiment.yaml'],
		['doubletake experiment pool.yaml --repeats 4', 'another file, four repetitions'],
		['doubletake experiment doubling', 'one that Doubletake brings along'],
	],
	selftest: [['doubletake selftest --faults short --repeats 1', 'some faults, each once']],
	'bench-overhead': [['doubletake bench-overhead --repeats 4', 'four pairs of runs in the place of eight']],
	swarm: [["doubletake swarm --hosts 'host2=ssh://lab@10.0.0.2'", 'the system of doubletake.yaml on two hosts']],
	open: [
		['doubletake open', 'the last report'],
		['doubletake open reports/latest/2a', 'that of a folder'],
	],
	share: [
		['doubletake share', 'the last run of this folder'],
		['doubletake share reports/latest/2a --to 2a.html', 'a run, by its folder'],
	],
	list: [
		['doubletake list', 'in columns'],
		['doubletake list --json', 'for programs'],
	],
	report: [['doubletake report reports/latest/2a', 'from the raw record, by the rules of today']],
	export: [['doubletake export reports/latest/2a --csv run.csv', 'for a spreadsheet or a notebook']],
	findings: [['doubletake findings', 'of all experiments of this folder']],
	plan: [['doubletake plan --target-rps 500 --p95-ms 200', 'nodes for 500 good requests a second']],
	doctor: [['doubletake doctor', 'nothing is changed without a yes']],
	images: [['doubletake images 2a', 'those of one architecture']],
	calibrate: [['doubletake calibrate', 'runs that need it do so by themselves']],
	clean: [['doubletake clean', 'reports and images stay']],
	completion: [['eval "$(doubletake completion bash)"', 'in ~/.bashrc']],
	stack: [['doubletake stack 2a', 'for docker stack deploy']],
	kubernetes: [['doubletake kubernetes 2a --load open', 'for kubectl apply']],
};

/** Of a command; empty where it has none. */
export const examplesHelp = (command: string) =>
	Object.hasOwn(EXAMPLES, command) ? `\n\nExamples:\n${columns(EXAMPLES[command]).trimEnd()}` : '';

/*
 * The options as the help shows them: a line each, in the Makefile and of a command.
 */

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

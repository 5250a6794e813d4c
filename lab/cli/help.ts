/**
 * What the help says beside what Commander makes of the commands: how to start, examples of each command, and the options of the table.
 */

import { join } from 'node:path';
import { IS_CHECKOUT, ROOT } from '../base/paths.ts';
import { columns } from './columns.ts';

/** what is typed, and what it does */
export type Row = [string, string];

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

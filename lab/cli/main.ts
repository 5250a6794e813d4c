/**
 * The command line behind the Makefile: reads what is wanted, does it, says how it ended. What does it is loaded when it is called: all
 * modules together take longer than most commands.
 */

import { existsSync } from 'node:fs';
import type { CommanderError } from 'commander';
import { Command } from 'commander';
import { EXIT, NotReadyError, toGivenError, toUserError } from '../base/errors.ts';
import { refuseHidden } from '../base/files.ts';
import { codeWith } from '../base/left-behind.ts';
import { IS_MAKEFILE_HERE, ROOT } from '../base/paths.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import type { Permission } from '../options/allowed.ts';
import { ALL } from '../record/findings.ts';
import { lineWidth } from './columns.ts';
import { endsAtOnce, hintFor, isSwept, refuseMisspelt, TYPED, takeOptions } from './command-line.ts';
import { examplesHelp, startHelp } from './help.ts';
import { optionsHelp } from './option-help.ts';
import { createReporter, processOutputs } from './reporter.ts';

/** In which the command was given; `lab/doubletake` goes to the lab's own. */
const FOLDER = process.env.DOUBLETAKE_FOLDER || process.cwd();
process.chdir(FOLDER);

const HELP = ['help', '-h', '--help'];

/** Whether it has a user's own system; the checkout's own Compose file is none. */
async function isFolderOfOwn() {
	if (process.cwd() === ROOT) return false;
	const { hasComposeFile } = await import('../target/compose-files.ts');
	return existsSync(PROJECT_FILE) || hasComposeFile(process.cwd(), process.env);
}

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => {
		if (interruption.signal.aborted) return;
		if (endsAtOnce(process.argv.slice(2))) process.exit(EXIT.interrupted);
		process.stderr.write('\n  interrupted: taking the stack down, keeping what was measured\n');
		interruption.abort();
	});
}
// Whoever read the lines is gone, as in "make run-a | head": what is up must come down all the same.
for (const output of [process.stdout, process.stderr]) {
	output.on('error', (error) => {
		if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
		interruption.abort();
	});
}

const reporter = createReporter(await processOutputs());

async function finish(command: () => Promise<number>) {
	const ended = await started(command).catch(endOf);
	const exitCode = codeWith(ended, reporter.progress.say);
	reporter.end(exitCode);
	process.exitCode = exitCode;
}

async function started(command: () => Promise<number>) {
	refuseHidden('doubletake', FOLDER);
	return command();
}

/** Commands that make all they do of a record. */
const READING = ['share', 'report', 'export', 'findings', 'plan', 'replay', 'freeze', 'excerpt'];

/**
 * @param error that ended a command
 * @returns the exit code
 */
function endOf(error: Error): number {
	if (interruption.signal.aborted) return EXIT.interrupted;
	const [name] = program.args;
	const reported = toUserError(READING.includes(name) ? toGivenError(name, error) : error);
	reporter.fail(reported ?? error);
	return reported === null ? EXIT.failed : reported.exitCode;
}

/** Of a command line that cannot be understood. */
function refuseUsage({ exitCode, code, message }: CommanderError) {
	if (exitCode === 0) process.exit(EXIT.done);
	// Of none Commander shows what there is.
	if (code === 'commander.help') reporter.fail(new Error('expected a command; found none'), { isShown: true });
	else reporter.fail(new NotReadyError(message.replace(/^error: /, ''), hintFor(code, message, process.argv.slice(2), program)));
	reporter.end(EXIT.notReady);
	process.exit(EXIT.notReady);
}

const VERSION = '--version';
const ALLOW =
	'let services have what could do harm (the engine’s socket, all of the machine); with =path, that path alone, and what doubletake.yaml and its script name there';
const ALLOW_VARIABLE = 'a variable of this shell that headers of doubletake.yaml may take, and services';
const SIDE =
	'Compose files, NAME=value of a variable that they read, rev:REVISION of git, or .:OPTION=value of Doubletake; the folder as it is unless given';
/** Of an option that may be given several times. */
const collect: (text: string, before?: string[]) => string[] = (text, before = []) => [...before, text];

/** What was allowed beside what a command may do by itself. */
const permitted: (flags: { allow?: string[]; allowVariable?: string[] }) => Promise<Permission> = async (flags) => {
	const [{ permissionOf }, { askTerminal }] = [await import('./permission.ts'), await import('./doctor.ts')];
	return permissionOf(flags, { folder: FOLDER, ask: askTerminal() });
};

const { signal } = interruption;
const around = { reporter, signal };
const program = new Command('doubletake').usage('[options] <command>').addHelpText('before', startHelp);
// Before the commands: they inherit both.
program
	.exitOverride(refuseUsage)
	.configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
	.configureOutput({ outputError: () => {}, getOutHelpWidth: lineWidth, getErrHelpWidth: lineWidth });
program.showSuggestionAfterError(false);
program.option('--json', 'give result or error as one JSON object on standard output');
program.option(VERSION, 'show the version and its commit, and do nothing else');
program.commandsGroup('Measure a system:');
program
	.command('init [files...]')
	.summary('write doubletake.yaml: what each service is, and the load')
	.description('look at the Compose files of this folder, or at those named, in their order, and write doubletake.yaml')
	.option('--observe', 'bring a copy up too, send it the requests of the load, and write who asked whom into doubletake.yaml')
	.option('--explain', 'say more: why each service was taken for what it is, what can be watched of it, and what stays unknown')
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', `with --observe: ${ALLOW_VARIABLE}`, collect)
	.action((files, { observe = false, explain = false, ...flags }) =>
		finish(async () =>
			observe
				? (await import('../run/project/observe-command.ts')).initObserving(FOLDER, files, process.env, {
						permission: await permitted(flags),
						isExplained: explain,
						...around,
					})
				: (await import('../run/project/init-command.ts')).init(FOLDER, files, reporter, {
						isExplained: explain,
						permission: await permitted(flags),
					}),
		),
	);
/** A single run is worth its doubts: on a machine that stays busy it is made all the same. */
const patient = (env: NodeJS.ProcessEnv) => ({ ...env, BUSY: env.BUSY || 'wait' });

program
	.command('run [architecture]')
	.summary('measure a system under one load, once')
	.description(
		'measure the system of doubletake.yaml in this folder, or an architecture that Doubletake brings along, under one load, once',
	)
	.option('--prove', 'where requests failed, then prove what ends the failures')
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((architecture, { prove = false, ...flags }) =>
		finish(async () => {
			const permission = await permitted(flags);
			const { run } = await import('./commands.ts');
			const exitCode = await run({ architecture, folder: FOLDER, permission }, patient(process.env), around);
			if (!prove || signal.aborted) return exitCode;
			const { latestOf } = await import('../report/run-folder.ts');
			const { prove: proving } = await import('../prove/prove.ts');
			const proved = await proving(latestOf(architecture, FOLDER), {}, process.env, { folder: FOLDER, permission, ...around });
			// How a run ends its thresholds decide, and not what is proved of it.
			return signal.aborted ? proved : exitCode;
		}),
	);
program
	.command('prove [run]')
	.summary('change one thing at a time: what ends the failures?')
	.description(
		'show the failures of a run again in copies of its system, change one thing at a time in them, and say which change ends the failures; of the last run of this folder unless given',
	)
	.option('--relief <file>', 'a Compose file that is laid over the others; it is all that is tried')
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((path, { relief, ...flags }) =>
		finish(async () =>
			(await import('../prove/prove.ts')).prove(path || process.env.RUN, { relief }, process.env, {
				folder: FOLDER,
				permission: await permitted(flags),
				...around,
			}),
		),
	);
program
	.command('squeeze [run]')
	.summary('slow each service in turns: which one counts?')
	.description(
		'hold the load of a run on a copy, freeze each service of it for a known share of short turns, and say on which the throughput depends most; of the last run of this folder unless given',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((path, flags) =>
		finish(async () =>
			(await import('../prove/squeeze.ts')).squeeze(path || process.env.RUN, process.env, {
				folder: FOLDER,
				permission: await permitted(flags),
				...around,
			}),
		),
	);
program
	.command('limit')
	.summary('raise the load until it breaks: how much does it bear?')
	.description(
		'raise the load on copies of the system of doubletake.yaml, from USERS users or RATE requests a second on, until its thresholds (EXPECT) break, and say how much it bears and what gives way first',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((flags) =>
		finish(async () =>
			(await import('../limit/limit.ts')).limit(process.env, { folder: FOLDER, permission: await permitted(flags), ...around }),
		),
	);
program
	.command('compare [values...]')
	.summary('measure two versions in turns: is one better?')
	.description(
		'measure two arms of the system of doubletake.yaml, several values of a variable that its Compose files read (NAME=2,5,10), or two architectures, in turns, and say which is better',
	)
	.option('--a <side>', `baseline: an architecture; or of your own system ${SIDE}`, collect)
	.option('--b <side>', 'candidate: the same', collect)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((values, { a, b, ...flags }) =>
		finish(async () =>
			(await import('../compare/experiment/command.ts')).compare({ a, b, values }, process.env, {
				folder: FOLDER,
				permission: await permitted(flags),
				...around,
			}),
		),
	);
program
	.command('experiment [id]')
	.summary('answer a question about several versions, and judge its claims')
	.description(
		'answer a question, and judge its claims: with arms of the system of doubletake.yaml, by experiment.yaml unless another file is named; or with architectures, by the id of an experiment that Doubletake brings along ("all": every one that has claims)',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((id, flags) =>
		finish(async () =>
			id === ALL
				? (await import('../compare/experiment/all.ts')).experimentAll(process.env, around)
				: (await import('../compare/experiment/command.ts')).experiment(id, process.env, {
						folder: FOLDER,
						permission: await permitted(flags),
						...around,
					}),
		),
	);
program
	.command('selftest')
	.summary('break a copy in known ways: is each fault found?')
	.description(
		'put known faults into a copy of the system of doubletake.yaml in this folder, or into the architectures, and see whether the report names each',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.option('--yes', 'in a folder without doubletake.yaml: test Doubletake itself, without asking first')
	.action(({ yes = false, ...flags }) =>
		finish(async () => {
			const [{ selftest }, { askTerminal }] = [await import('../verify/selftest/targets.ts'), await import('./doctor.ts')];
			// In a checkout of the lab it means the lab itself.
			const ask = yes || IS_MAKEFILE_HERE ? undefined : askTerminal();
			return selftest(FOLDER, process.env, { permission: await permitted(flags), ask, ...around });
		}),
	);
program
	.command('bench-overhead')
	.summary('measure what Doubletake itself costs')
	.description(
		'measure what Doubletake itself costs, against bare Compose and k6: on the system of doubletake.yaml in this folder, or on an architecture',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((flags) =>
		finish(async () =>
			(await import('../verify/overhead/targets.ts')).bench(FOLDER, process.env, { permission: await permitted(flags), ...around }),
		),
	);
program
	.command('swarm [architecture]')
	.summary('measure a system on the hosts of a Swarm, once')
	.description(
		'measure the system of doubletake.yaml in this folder, or an architecture, on the hosts of a Swarm (HOSTS=), of which this machine is a manager, once',
	)
	.option('--allow [path]', ALLOW, collect)
	.option('--allow-variable <name>', ALLOW_VARIABLE, collect)
	.action((architecture, flags) =>
		finish(async () =>
			(await import('./commands.ts')).runOnSwarm(
				{ architecture, folder: FOLDER, permission: await permitted(flags) },
				patient(process.env),
				around,
			),
		),
	);
program.commandsGroup('Read what was measured:');
program
	.command('open [folder]')
	.summary('show a report in the browser')
	.description('show the report of a folder in the browser; the last one unless given')
	.action((folder) => finish(async () => (await import('./open.ts')).open(folder || process.env.RUN, { env: process.env, reporter })));
program
	.command('share [run]')
	.summary('write a report into one file, to pass on')
	.description('write the report of a run into one file without links to its folder; of the last run of this folder unless given')
	.option('--to <file>', 'where to')
	.action((path, { to }) =>
		finish(async () => (await import('./share.ts')).share(path || process.env.RUN, { to, folder: FOLDER, reporter })),
	);
program
	.command('list')
	.description('name what can be run, and what was')
	.action(() => finish(async () => (await import('./list.ts')).list(FOLDER, reporter)));
program
	.command('report [run]')
	.summary('build a report again from its raw record')
	.description('build result and report again from the raw record; of an excerpt, its pages')
	.action((path) => finish(async () => (await import('./report-again.ts')).report(path || process.env.RUN, process.env, reporter)));
program
	.command('export [run]')
	.summary('write a run into CSV or OpenTelemetry files')
	.description('write the timeline and the series of a run into files that other programs read')
	.option('--csv <file>', 'as CSV in long form: t_s, series, tier, service, value, unit')
	.option('--otlp <file>', 'as OpenTelemetry metrics, in the JSON encoding of OTLP')
	.action((path, files) =>
		finish(async () => (await import('../extras/export/export.ts')).exportRun(path || process.env.RUN, files, reporter)),
	);
program
	.command('findings [folder]')
	.summary('show the verdicts of all claims in one table')
	.description('show the verdicts of all claims in one table, from what was measured')
	.action((folder) =>
		finish(async () => (await import('../compare/experiment/findings.ts')).findings(folder || process.env.RUN, reporter)),
	);
program
	.command('plan [experiment]')
	.summary('say how many nodes a rate needs')
	.description(
		'say how many nodes a rate needs (TARGET_RPS=, P95_MS=), from an experiment over numbers of nodes; the newest unless its folder is given',
	)
	.action((folder) =>
		finish(async () => (await import('../capacity/plan-nodes.ts')).planNodes(folder || process.env.RUN, process.env, reporter)),
	);
program.commandsGroup('Look after this machine:');
program
	.command('doctor')
	.description('say what this machine lacks, and fix it after asking')
	.action(() =>
		finish(async () => {
			const [{ askTerminal, doctor }, { CHECKS }] = await Promise.all([import('./doctor.ts'), import('./doctor-checks.ts')]);
			return doctor(CHECKS, { reporter, ask: askTerminal() });
		}),
	);
program
	.command('images [architectures...]')
	.summary('get or build container images now')
	.description('get or build the images of some architectures, or of all, now and not at the first run')
	.action((wanted) => finish(async () => (await import('./commands.ts')).images(wanted, process.env, around)));
program
	.command('calibrate')
	.summary('measure what a request costs here')
	.description('measure what a request costs each tier on this machine')
	.action(() => finish(async () => (await import('../compare/calibrate.ts')).calibrate(process.env, around)));
program
	.command('clean')
	.description('remove all containers, networks and volumes of Doubletake')
	.action(() => finish(async () => (await import('./commands.ts')).clean(reporter)));
program
	.command('completion [shell]')
	.summary('print the script by which a shell completes commands')
	.description('print the script by which bash, zsh or fish completes commands, architectures, experiments and variables')
	.action((shell = '') => finish(async () => (await import('./completion/completion.ts')).completion(shell, program, reporter)));
program.helpCommand('help [command]', 'show what a command takes');
program.commandsGroup('Take an architecture elsewhere:');
program
	.command('stack <architecture>')
	.summary('print an architecture as a stack of Docker Swarm')
	.description('print an architecture as a stack of Docker Swarm, made of its Compose file')
	.action((architecture) => finish(async () => (await import('../extras/swarm/stack.ts')).printStack(architecture, reporter)));
program
	.command('kubernetes <architecture>')
	.summary('print an architecture for Kubernetes')
	.description('print an architecture and its load as manifests for Kubernetes and the k6-operator, made of its Compose file')
	.action((architecture) =>
		finish(async () => (await import('../extras/kubernetes/print.ts')).printManifests(architecture, process.env, reporter)),
	);
program.commandsGroup('Develop Doubletake itself:');
program
	.command('replay [folder]')
	.summary('analyse all stored raw records again')
	.description('analyse all stored raw records again, or those below a folder, and say which failed requests are placed elsewhere')
	.action((folder) => finish(async () => (await import('./replay.ts')).replay(folder || process.env.RUN, process.env, reporter)));
program
	.command('freeze [run] [name]')
	.summary('make a fixture of a run, for the tests')
	.description('make a fixture of a run, small enough to be stored, with the result that it has today; of a self-test of each fault')
	.action((run, name) =>
		finish(async () =>
			(await import('../verify/freeze/freeze.ts')).freeze(run || process.env.RUN, name || process.env.INTO, process.env, reporter),
		),
	);
program
	.command('typical <commit> [experiments...]')
	.summary('measure stored experiments again, as at a commit')
	.description('measure one run of each arm of stored experiments, with Doubletake as it was at a commit; for replay')
	.action((commit, ids) => finish(async () => (await import('../verify/freeze/freeze.ts')).typical(commit, ids, process.env, reporter)));
program
	.command('simulate [comparisons] [seed]')
	.description('play comparisons of known truth by STOP=early')
	.action((comparisons = '2000', seed = '1') =>
		finish(async () => (await import('../verify/simulate.ts')).simulate(comparisons, seed, reporter)),
	);
program
	.command('excerpt [experiment] [folder]')
	.summary('copy an experiment without its raw records')
	.description('copy an experiment without its raw records, to be shared: one file, and the pages rendered from it')
	.action((from, into) =>
		finish(async () =>
			(await import('../compare/experiment/excerpt.ts')).excerpt(from || process.env.RUN, into || process.env.INTO, process.env, reporter),
		),
	);
program
	.command('examples')
	.description('render the pages of the stored experiments')
	.action(() => finish(async () => (await import('./report-again.ts')).renderExamples(reporter)));
program
	.command('docs')
	.description('write the pages that are made from tables')
	.action(() => finish(async () => (await import('./write-docs.ts')).writeDocs(reporter)));

const typed = process.argv.slice(2);
const named = typed.map((word) => program.commands.find((command) => command.name() === word)).find((command) => command !== undefined);
const valued = (named?.options ?? []).filter(({ required }) => required).map(({ long }) => String(long));
const isBesideOwn = typed.some((word) => HELP.includes(word)) && (await isFolderOfOwn());
for (const command of program.commands) {
	const [name, about] = [command.name(), command.description()];
	command.summary(command.summary() || about).description(about + examplesHelp(name));
	command.addHelpText('after', () => optionsHelp(name, isBesideOwn));
}
let left: string[] = [];
try {
	const isOwn = named?.name() === 'compare' ? isSwept : undefined;
	const { words, given } = takeOptions(typed, valued, isOwn);
	// Alone it takes no word behind it for its path.
	left = words.map((word) => (word === '--allow' ? '--allow=' : word));
	// What a user's Compose file reads may be called as an option of an architecture.
	Object.assign(process.env, given);
	refuseMisspelt({ words, valued, env: process.env, isOwn });
} catch (error) {
	await finish(async () => {
		throw error;
	});
	process.exit();
}
// What the lab starts may be make again.
delete process.env[TYPED];
const [first, about] = left;
// Commander would show what there is, and end with 0.
if (first === 'help' && about !== undefined && !program.commands.some((command) => command.name() === about))
	program.error(`error: unknown command '${about}'`, { code: 'commander.unknownCommand', exitCode: EXIT.notReady });
if (left.includes(VERSION)) await finish(async () => (await import('./commands.ts')).version(reporter));
else await program.parseAsync(left, { from: 'user' });

/** Containers of a stack that is coming up and are not well yet: what is to be done about them, and what is said of them. */

import { secretsInEnvironment, withoutAssigned } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { listContainers, type System, serviceOf } from './containers.ts';
import { containerById, executeToEnd, readLog } from './docker.ts';
import { endsOf, READ_LINES } from './log-ends.ts';

export type Unwell = {
	id: string;
	/** Compose's name */
	service: string;
	/** as people call it: its service, with a number where that has several */
	name: string;
	/** created: never started, because it waits for another; working: a job that others wait for */
	state: 'created' | 'starting' | 'unhealthy' | 'ended' | 'working';
	exitCode: number;
	isOutOfMemory: boolean;
	/** as the engine gives its log */
	isFramed: boolean;
	/** the last output of its health check */
	checkSays: string;
};

/** what the files of the system say of ends before the load */
export type Rules = {
	/** it may end well: a job, or what no request needs; such a one may be unhealthy too, if nothing else is started after it */
	mayEnd: (service: string) => boolean;
	/** it is started again when it ends so */
	comesBack: (service: string, exitCode: number) => boolean;
	/** others start when it has ended well; none is unless given */
	isJob?: (service: string) => boolean;
};

/**
 * Asks a container by its own health check, as its engine does, but at once: an engine asks first when the check's interval is over, half a
 * minute unless the file says otherwise, and one time that it is well is enough for it, too.
 */
type Check = {
	command: string[];
	limitMs: number;
};

/** as the engine tells it (https://docs.docker.com/reference/api/engine/, ContainerInspect) */
export type Configured = {
	/** Timeout: nanoseconds */
	Healthcheck?: { Test?: string[]; Timeout?: number };
	Shell?: string[] | null;
};

/** Of the engine, where the check names none. */
const STANDARD_LIMIT_MS = 30_000;
const STANDARD_SHELL = ['/bin/sh', '-c'];
const NANOSECONDS_PER_MS = 1e6;

/** @returns null where there is none */
function checkOf({ Healthcheck: check, Shell: shell }: Configured): Check | null {
	const [kind, ...words] = check?.Test ?? [];
	const limitMs = check?.Timeout ? check.Timeout / NANOSECONDS_PER_MS : STANDARD_LIMIT_MS;
	if (kind === 'CMD') return { command: words, limitMs };
	if (kind === 'CMD-SHELL') return { command: [...(shell?.length ? shell : STANDARD_SHELL), ...words], limitMs };
	return null;
}

/**
 * @param id of a container
 * @returns false too where it cannot be asked
 */
export const passes = (id: string, { command, limitMs }: Check): Promise<boolean> =>
	executeToEnd(id, command, { limitMs }).then(
		({ exitCode }) => exitCode === 0,
		() => false,
	);

const CHECK_LINES = 4;

/** Of a stack whose files say nothing of ends: each has to stay. */
export const EACH_STAYS: Rules = { mayEnd: () => false, comesBack: () => false };

/**
 * @param options asks: one that its engine has not found well yet is asked now; isJob: of
 * these, those that run are listed too
 */
export async function listUnwell(
	system: System,
	{ asks = false, isJob = () => false }: { asks?: boolean; isJob?: Rules['isJob'] } = {},
): Promise<Unwell[]> {
	const containers = await listContainers(system);
	const all = await Promise.all(
		containers.map(async ({ Id: id, Names: names, Labels: labels }) => {
			const { State: state, Config: config } = await containerById(id).inspect();
			// Those of its image are in no file.
			secrets.learn(secretsInEnvironment(config.Env ?? []));
			const wrong = stateOf(state) ?? (isJob(serviceOf(labels)) ? 'working' : null);
			const check = asks && (wrong === 'starting' || wrong === 'unhealthy') ? checkOf(config as Configured) : null;
			if (wrong === null || (check !== null && (await passes(id, check)))) return [];
			return [
				{
					id,
					service: serviceOf(labels),
					name: nameOf(names[0], { id, service: serviceOf(labels), project: system.project }),
					state: wrong,
					exitCode: state.ExitCode,
					isOutOfMemory: state.OOMKilled,
					isFramed: !config.Tty,
					checkSays: (state.Health?.Log?.at(-1)?.Output ?? '').trim(),
				},
			];
		}),
	);
	return all.flat();
}

/** The first of a service is called as that. */
const nameOf: (given: string | undefined, of: { id: string; service: string; project: string }) => string = (
	given,
	{ id, service, project },
) => (given?.startsWith(`/${project}-`) ? given.slice(project.length + 2).replace(/-1$/, '') : (given?.slice(1) ?? (service || id)));

/**
 * @param state as the engine tells it
 * @returns null for one that is well
 */
function stateOf({
	Status: status,
	Running: isRunning,
	Health: health,
}: {
	Status: string;
	Running: boolean;
	Health?: { Status: string };
}): Unwell['state'] | null {
	if (status === 'created') return 'created';
	if (!isRunning) return 'ended';
	// By the engine itself, after an end.
	if (status === 'restarting') return 'starting';
	if (health === undefined || health.Status === 'healthy' || health.Status === 'none') return null;
	return health.Status === 'starting' ? 'starting' : 'unhealthy';
}

/**
 * @returns recover: what its engine has given up may be well
 * later; ended: those that are to be started again
 */
export function nextStep(
	unwell: Unwell[],
	{ mayEnd, comesBack }: Rules,
): { next: 'go' | 'wait' | 'again' | 'recover' | 'give up'; ended: Unwell[] } {
	const open = unwell.filter(
		({ service, state, exitCode }) => !mayEnd(service) || !(state === 'unhealthy' || (state === 'ended' && exitCode === 0)),
	);
	const ends = open.filter(({ state }) => state === 'ended');
	const ended = ends.filter(({ service, exitCode }) => comesBack(service, exitCode));
	const has = (wanted: Unwell['state']) => unwell.some(({ state }) => state === wanted);
	if (open.length === 0) return { next: 'go', ended };
	// Compose itself starts nothing behind what is unhealthy.
	if (ends.length > ended.length || (has('unhealthy') && has('created'))) return { next: 'give up', ended };
	if (ended.length > 0) return { next: 'again', ended };
	if (open.some(({ state }) => state === 'unhealthy')) return { next: 'recover', ended };
	// What nobody starts is not waited for.
	return { next: has('created') ? 'give up' : 'wait', ended };
}

const WAITED_FOR: Partial<Record<Unwell['state'], string>> = {
	starting: 'to be healthy',
	unhealthy: 'to be healthy, which it was not in time',
	working: 'to end',
};

/** @returns what is waited for, as the end of "waiting for"; empty where it is nothing that will say so */
export function waitedFor(unwell: Pick<Unwell, 'name' | 'state'>[]): string {
	const clauses = Object.entries(WAITED_FOR).flatMap(([state, what]) => {
		const names = unwell.filter((one) => one.state === state).map(({ name }) => name);
		return names.length > 0 ? [`${names.join(', ')} ${what}`] : [];
	});
	return clauses.join('; ');
}

/** @returns what is to be said of each that something has to be done about, with lines of its log */
export function explainUnwell(unwell: Unwell[], { mayEnd }: Rules = EACH_STAYS): Promise<string[]> {
	// One that was never started waits for another, or for what Compose itself says.
	const isDone = ({ state, exitCode, service }: Unwell) => state === 'ended' && exitCode === 0 && mayEnd(service);
	const reported = unwell.filter((one) => one.state !== 'created' && !isDone(one));
	// One that ended well may have been told to, and one that waits for a failed one has not begun: both stand here as ended with 0.
	const failed = reported.filter(({ state, exitCode }) => state !== 'ended' || exitCode !== 0);
	return Promise.all((failed.length > 0 ? failed : reported).map(explain));
}

/** By a signal that nothing can catch. */
const KILLED = 137;

async function explain({ id, name, state, exitCode, isOutOfMemory, isFramed, checkSays }: Unwell) {
	const how = state === 'ended' ? `exited with code ${exitCode}${whyEnded(exitCode, isOutOfMemory)}` : `is ${state}`;
	// Some drivers of logs give nothing back.
	const log = await readLog(id, READ_LINES, isFramed).catch((error) => `(its log cannot be read: ${error.message})`);
	const said = lastOf(ownWords(checkSays), CHECK_LINES);
	const check = state === 'ended' || checkSays === '' ? '; the' : `; its health check says:\n${said}\n  The`;
	const { what, text } = endsOf(ownWords(log).trim() || '(it wrote nothing)');
	return `${name} ${how}${check} ${what} of its log:\n${text}`;
}

/**
 * @param id of a container that runs
 * @returns the last lines of its log, and what they are
 */
export async function quoteLog(id: string): Promise<string> {
	const { Config: config } = await containerById(id).inspect();
	secrets.learn(secretsInEnvironment(config.Env ?? []));
	const { what, text } = endsOf(ownWords(await readLog(id, READ_LINES, !config.Tty)).trim() || '(it wrote nothing)');
	return `the ${what} of its log:\n${text}`;
}

/** Before lines of it are chosen: a secret may be on two. */
const ownWords = (log: string) => withoutAssigned(secrets.without(log));

function whyEnded(exitCode: number, isOutOfMemory: boolean): string {
	if (isOutOfMemory) return ' (out of memory)';
	return exitCode === KILLED ? ' (killed, most often for a lack of memory)' : '';
}

export const lastOf = (text: string, lines: number) => text.trim().split('\n').slice(-lines).join('\n').replace(/^/gm, '    ');

/**
 * What to try next: a system that takes away the cause of most failures, unless the lab's own experiments speak against it; of a run that
 * says nothing, what would make it say something, and what would be tried then.
 */

import { formatCommand, formatProjectCommand, launcherOf, shellWord } from '../base/format-command.ts';
import { DEFAULT_BUDGET } from '../catalog/budgets.ts';
import type { MeasuredRemedy } from '../catalog/measured-remedies.ts';
import { isWorthTrying, measuredRemedies } from '../catalog/measured-remedies.ts';
import type { Remedy } from '../catalog/project-schema.ts';
import { CONDITIONS } from '../options/accepted-options.ts';
import { knownCommand } from '../options/known-command.ts';
import { USERS_EACH_MOST } from '../options/options.ts';
import { doubtsAbout, statementsOfFailure, wordOf } from '../record/touches.ts';
import type { Ledger, Metrics, Result, TryNext, Validity } from '../record/types.js';
import { count, percent, tierName } from '../stats/figure-words.ts';
import type { Facts } from './ledger/facts.ts';
import { isScript } from './time/window.ts';
import type { Doubts } from './validity/validity.ts';

/** A variable of a command, whose value may stand in quotes. */
const VARIABLE = /(?<=^| )([A-Z_]+)=('[^']*'|\S+)/g;
/** Of a run that names none it is the same. */
const NO_QUOTAS = `BUDGET=${DEFAULT_BUDGET}`;

/** @returns its variables that another run has to have too */
const conditionsIn = (command: string): string[] =>
	[...command.matchAll(VARIABLE)].filter(([text, name]) => CONDITIONS.includes(name) && text !== NO_QUOTAS).map(([text]) => text);

/**
 * The remedies that take away the cause of most failures.
 * @param tried id: by which stored experiments may have tried them
 * @param manifest of the run, whose command is spelt as it can be typed where it was made
 * @param measured by stored experiments
 */
export function tryNextOf(
	{ id, remedies = [] }: { id: string; remedies?: Remedy[] },
	{ command, load, hosts }: { command: string; load: string; hosts?: object[] },
	{ failures: [worst] }: Pick<Ledger, 'failures'>,
	measured: MeasuredRemedy[] = measuredRemedies,
): TryNext[] {
	if (!worst) return [];
	const known = ({ system }: Remedy) => measured.filter((one) => one.base === id && one.remedy === system);
	return remedies
		.filter((remedy) => remedy.causes.includes(worst.cause) && isWorthTrying(known(remedy), load))
		.map((remedy) => ({
			command:
				remedy.system === undefined
					? formatProjectCommand(['compare', '--b', asSide(remedy.variables ?? {})], [])
					: formatCommand([hosts ? 'swarm' : 'run', remedy.system], conditionsIn(command), launcherOf(command)),
			why: [`relieves ${tierName(worst.tier)}: ${remedy.change}`, ...(remedy.system === undefined ? [] : effectsOf(known(remedy)))].join(
				'; ',
			),
		}));
}

const asSide = (variables: Record<string, string>) =>
	shellWord(
		Object.entries(variables)
			.map(([name, value]) => `${name}=${value}`)
			.join(','),
	);

/**
 * What stored experiments measured of it, the better first.
 * @returns clauses
 */
function effectsOf(measured: MeasuredRemedy[]): string[] {
	const reported = (verdict: MeasuredRemedy['verdict'], before: string) =>
		measured
			.filter((one) => one.verdict === verdict)
			.map(({ failure_rate_base: base, failure_rate_remedy: remedy, blocks, load, experiment }) => {
				const failed = base === null || remedy === null ? '' : `${percent(remedy)} instead of ${percent(base)} failed in `;
				return `${before} ${failed}${count(blocks)} repetitions under load ${load} (experiment ${experiment})`;
			});
	return measured.length === 0
		? ['no stored experiment has measured it']
		: [...reported('better', 'measured:'), ...reported('worse', 'but worse:')];
}

/*
 * What has to be done before an INVALID run is made again: by the rules that made it so.
 */

const GENERATOR = 'give the generator room: fewer users (USERS), or more generators (GENERATORS)';
const USERS_MORE = 'give the script more users for its arrivals (maxVUs), or fewer arrivals';
const RECORD = 'look for what restarted or was full meanwhile, because two records contradict each other';

/** By the first word of a rule's name. */
const STEPS: Record<string, string> = {
	incomplete: 'let the load run to its end',
	exhausted: GENERATOR,
	overhead: GENERATOR,
	throttled: GENERATOR,
	'at-quota': GENERATOR,
	dropped: GENERATOR,
	'lost-generator': 'see why a generator made no load',
	neighbours: 'stop the other programs on the machine',
	stolen: 'take a machine whose cores others do not use, or another hour',
	fault: 'see why the fault could not be put in or undone',
};

/**
 * @param doubts of a run that is INVALID
 * @returns clauses, each once
 */
function stepsToValid({ ofRun, ofStages }: Doubts, manifest: any): string[] {
	const { shape } = manifest;
	const invalid = [...ofRun, ...ofStages.flat()].filter(({ grade, rule }) => grade === 'INVALID' && rule !== 'stages');
	const steps = shape.arriving ? { ...STEPS, dropped: USERS_MORE } : STEPS;
	const asked = [...new Set(invalid.map(({ rule }) => steps[ruleName(rule)] ?? RECORD))];
	return asked.map((step) => (step === GENERATOR && !isScript(manifest) ? roomFor(shape) : step));
}

/** With the value, where the load is one whose users an option sets. */
function roomFor({ model, stages }: { model?: string; stages?: { target: number }[] }): string {
	const top = Math.max(0, ...(stages ?? []).map(({ target }) => target));
	return model !== 'open' && top > 1
		? `give the generator room: add USERS=${Math.ceil(top / 2)} to the command, which halves the users`
		: GENERATOR;
}

/** @param rule `stolen host-2` */
const ruleName = (rule: string) => /^[\w-]+/.exec(rule)?.[0] ?? '';

/**
 * Of an INVALID run: the same again, with what made it so out of the way. What would be tried next is marked where the doubts can move the
 * failures that it is to relieve: it proves nothing until a run without them says the same.
 */
export function afterDoubts(
	advice: TryNext[],
	{
		manifest,
		doubts,
		validity,
		ledger: { failures },
		proving = [],
	}: {
		manifest: { command: string; shape: any };
		doubts: Doubts;
		validity: Validity;
		ledger: Pick<Ledger, 'failures'>;
		/** what would test the accusation: last where doubts can move the failures that it is about */
		proving?: TryNext[];
	},
): TryNext[] {
	if (validity.verdict !== 'INVALID') return [...proving, ...advice];
	const first = `first ${stepsToValid(doubts, manifest).join(', and ')}`;
	const isAll = wordOf(validity) === 'INVALID';
	const why = isAll ? `again, because this run says nothing about the system; ${first}` : `again, to remove the doubts; ${first}`;
	const grave = { doubts: validity.doubts.filter(({ grade }) => grade === 'INVALID') };
	const isMoved = failures.slice(0, 1).some((worst) => doubtsAbout(grave, statementsOfFailure(worst)).length > 0);
	const again = { command: manifest.command || formatProjectCommand(['run']), why };
	return isMoved ? [again, ...onceValid([...advice, ...proving])] : [...proving, again, ...advice];
}

const onceValid = (advice: TryNext[]): TryNext[] => advice.map((one) => ({ ...one, once_valid: true }));

/**
 * What would tell more of a user's own system: of a run without the wire, proxies of which single requests are not on record, where that left
 * unknown where they failed; and services whose log is not read, where that left unknown why.
 *
 */

/** What a proxy is to be watched at, so that each request is on record. */
const EACH_REQUEST = 2;
/** What a service is to be watched at, so that its log is read. */
const OWN_LOG = 1;
/** Causes of what no reason is on record of (ledger/waited.ts). */
const OPEN = ['unexplained', 'upstream-timeout', 'client-gave-up'];

export const watchNext = (facts: Facts, ledger: Pick<Ledger, 'failures' | 'unattributed'>): TryNext[] => [
	...whereNext(facts, ledger),
	...whyNext(facts, ledger),
];

/** What is followed on the wire is placed by the ids and calls there: no record of a proxy changes that. */
function whereNext({ raw, hops }: Facts, { failures, unattributed }: Pick<Ledger, 'failures' | 'unattributed'>): TryNext[] {
	if (raw.wire) return [];
	const isOpen = unattributed > 0 || failures.some(({ basis }) => (basis.where.proved ?? 0) < total(basis.where));
	if (!isOpen) return [];
	const blind = hops.filter(({ tier, coverage }) => tier === 'load-balancer' && coverage.requests !== 'full').map(({ service }) => service);
	const known = raw.adapted.filter(
		({ service, product, level }) => blind.includes(service) && product !== 'opaque' && level < EACH_REQUEST,
	);
	return known.map(({ service }) => ({
		command: `${service}: { watch: ${EACH_REQUEST} } in doubletake.yaml`,
		why: 'each request is then on record there, so that where it failed is proved',
	}));
}

function whyNext({ raw }: Facts, { failures }: Pick<Ledger, 'failures'>): TryNext[] {
	const open = new Set(failures.filter(({ cause }) => OPEN.includes(cause)).flatMap(({ service }) => service.split(', ')));
	return raw.adapted
		.filter(({ service, level }) => open.has(service) && level < OWN_LOG)
		.map(({ service }) => ({
			command: `${service}: { watch: ${OWN_LOG} } in doubletake.yaml`,
			why: 'its log is then read, which may say why requests failed there',
		}));
}

/** Fewer failed requests are not told from chance by any copy. */
export const PROVABLE_LEAST = 10;

/** What would test the accusation, where enough failed for a copy to show it again. */
export function proveNext(
	{ command, hosts }: { command: string; architecture: string; hosts?: object[] },
	{ failures: [worst] }: Pick<Ledger, 'failures'>,
	{ failures, unanswered }: Pick<Metrics, 'failures' | 'unanswered'>,
	{ remedies = [], isFollowed }: { remedies?: Remedy[]; isFollowed: boolean },
): TryNext[] {
	const canTry = isFollowed || remedies.some(({ system }) => system !== undefined);
	if (worst === undefined || hosts || !canTry || failures + unanswered < PROVABLE_LEAST) return [];
	return [
		{
			command: isFollowed ? formatProjectCommand(['prove']) : formatCommand(['prove'], [], launcherOf(command)),
			why: `changes one thing at a time in copies of the system, and says which change ends the failures at ${worst.service}`,
		},
	];
}

const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/*
 * What would tell more of a user's own system that lost nothing: where it gives way, which a run without failures does not know.
 */

/** Short faults, each once: minutes. */
const TRY_FAULTS = ['FAULTS=short', 'REPEATS=1'];
/** A command without a system's name. Those that have one are asked by experiments where they give way. */
const OF_FOLDER = /(?:^| )doubletake (?:run|swarm)$/;

/**
 * Of a run that was broken on purpose the next one is the user's to choose.
 * @param manifest with its command as it can be typed
 */
export function moreLoad(
	manifest: any,
	{
		doubts,
		result: { validity, metrics, bottleneck },
	}: {
		doubts: Doubts;
		result: Pick<Result, 'validity' | 'metrics' | 'bottleneck'>;
	},
): TryNext[] {
	const { shape, faults = [], fault, system, command } = manifest;
	const isHealthy = metrics.requests > 0 && metrics.failures === 0 && validity.verdict !== 'INVALID';
	// The generator, or the machine that both share, gives way before the system does.
	const isFull =
		['generator', 'machine'].includes(bottleneck?.tier ?? '') || doubts.ofRun.some(({ rule }) => STEPS[ruleName(rule)] === GENERATOR);
	if (!OF_FOLDER.test(command) || !isHealthy || isFull || faults.length > 0 || fault || system?.arm) return [];
	if (isScript(manifest))
		return [
			{
				command: formatProjectCommand(['selftest'], TRY_FAULTS),
				why: 'nothing failed, and how much is asked is the script’s to say: a copy is broken in known ways, and each report is to find it',
			},
		];
	const [name, most] = shape.model === 'open' ? ['RATE', 'requests'] : ['USERS', 'users'];
	const top = Math.max(...shape.stages.map(({ target }: { target: number }) => target));
	const reached = bottleneck === null ? 'no bottleneck could be named' : `${tierName(bottleneck.tier)} was at a limit`;
	const twice = withOption(command, name, String(2 * top));
	return knownCommand(twice) === null || 2 * top > mostUsers(command)
		? []
		: [{ command: twice, why: `nothing failed, and ${reached}: twice the ${most} show what gives way first` }];
}

/** That its generators have memory for. */
const mostUsers = (command: string) => USERS_EACH_MOST * Number(/(?:^| )GENERATORS=(\d+)/.exec(command)?.[1] ?? 1);

function withOption(command: string, name: string, value: string): string {
	const given = new RegExp(`(?<=^| )${name}=('[^']*'|\\S+)`);
	return given.test(command) ? command.replace(given, `${name}=${value}`) : `${name}=${value} ${command}`;
}

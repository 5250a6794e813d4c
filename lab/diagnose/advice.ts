/**
 * What to try next: a system that takes away the cause of most failures, unless the lab's own experiments speak against it; of a run that
 * says nothing, what would make it say something, and what would be tried then.
 *
 *
 * @import { MeasuredRemedy } from '../catalog/measured-remedies.ts'
 * @import { Remedy } from '../catalog/project-schema.ts'
 * @import { Ledger, Metrics, Result, TryNext, Validity } from '../record/types.js'
 * @import { Facts } from './ledger/facts.ts'
 * @import { Doubts } from './validity/validity.ts'
 */

import { formatCommand, formatProjectCommand, launcherOf, shellWord } from '../base/format-command.ts';
import { DEFAULT_BUDGET } from '../catalog/budgets.ts';
import { isWorthTrying, measuredRemedies } from '../catalog/measured-remedies.ts';
import { CONDITIONS } from '../options/accepted-options.ts';
import { knownCommand } from '../options/known-command.ts';
import { USERS_EACH_MOST } from '../options/options.ts';
import { doubtsAbout, statementsOfFailure, wordOf } from '../record/touches.ts';
import { count, percent, tierName } from '../stats/figure-words.ts';
import { isScript } from './time/window.ts';

/** A variable of a command, whose value may stand in quotes. */
const VARIABLE = /(?<=^| )([A-Z_]+)=('[^']*'|\S+)/g;
/** Of a run that names none it is the same. */
const NO_QUOTAS = `BUDGET=${DEFAULT_BUDGET}`;

/** @param {string} command @returns {string[]} its variables that another run has to have too */
const conditionsIn = (command) =>
	[...command.matchAll(VARIABLE)].filter(([text, name]) => CONDITIONS.includes(name) && text !== NO_QUOTAS).map(([text]) => text);

/**
 * The remedies that take away the cause of most failures.
 * @param {{ id: string, remedies?: Remedy[] }} tried  id: by which stored experiments may have tried them
 * @param {{ command: string, load: string, hosts?: object[] }} manifest  of the run, whose command is spelt as it can be typed where it was made
 * @param {Pick<import('../record/types.js').Ledger, 'failures'>} ledger
 * @param {MeasuredRemedy[]} [measured]  by stored experiments
 * @returns {TryNext[]}
 */
export function tryNextOf({ id, remedies = [] }, { command, load, hosts }, { failures: [worst] }, measured = measuredRemedies) {
	if (!worst) return [];
	const known = (/** @type {Remedy} */ { system }) => measured.filter((one) => one.base === id && one.remedy === system);
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

/** @param {Record<string, string>} variables */
const asSide = (variables) =>
	shellWord(
		Object.entries(variables)
			.map(([name, value]) => `${name}=${value}`)
			.join(','),
	);

/** What stored experiments measured of it, the better first. @param {MeasuredRemedy[]} measured @returns {string[]} clauses */
function effectsOf(measured) {
	const reported = (/** @type {MeasuredRemedy['verdict']} */ verdict, /** @type {string} */ before) =>
		measured
			.filter((one) => one.verdict === verdict)
			.map(({ failure_rate_base: base, failure_rate_remedy: remedy, blocks, load, experiment }) => {
				const failed = base === null || remedy === null ? '' : `${percent(remedy)} instead of ${percent(base)} failed in `;
				return `${before} ${failed}${count(blocks)} blocks under load ${load} (experiment ${experiment})`;
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
const RECORD = 'see the reasons, for the record contradicts itself: look for what restarted or was full meanwhile';

/** By the first word of a rule's name. @type {Record<string, string>} */
const STEPS = {
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
 * @param {Doubts} doubts  of a run that is INVALID
 * @param {any} manifest
 * @returns {string[]} clauses, each once
 */
function stepsToValid({ ofRun, ofStages }, { shape }) {
	const invalid = [...ofRun, ...ofStages.flat()].filter(({ grade, rule }) => grade === 'INVALID' && rule !== 'stages');
	const steps = shape.arriving ? { ...STEPS, dropped: USERS_MORE } : STEPS;
	return [...new Set(invalid.map(({ rule }) => steps[ruleName(rule)] ?? RECORD))];
}

/** @param {string} rule  `stolen host-2` */
const ruleName = (rule) => /^[\w-]+/.exec(rule)?.[0] ?? '';

/**
 * Of an INVALID run: the same again, with what made it so out of the way. What would be tried next is marked where the doubts can move the
 * failures that it is to relieve: it proves nothing until a run without them says the same.
 * @param {TryNext[]} advice
 * @param {object} of
 * @param {{ command: string, shape: any }} of.manifest
 * @param {Doubts} of.doubts
 * @param {Validity} of.validity
 * @param {Pick<import('../record/types.js').Ledger, 'failures'>} of.ledger
 * @param {TryNext[]} [of.proving]  what would test the accusation: last where doubts can move the failures that it is about
 * @returns {TryNext[]}
 */
export function afterDoubts(advice, { manifest, doubts, validity, ledger: { failures }, proving = [] }) {
	if (validity.verdict !== 'INVALID') return [...proving, ...advice];
	const first = `first ${stepsToValid(doubts, manifest).join(', and ')}`;
	const isAll = wordOf(validity) === 'INVALID';
	const why = isAll ? `again, for this run says nothing of the system; ${first}` : `again, for what is in doubt to be known; ${first}`;
	const grave = { doubts: validity.doubts.filter(({ grade }) => grade === 'INVALID') };
	const isMoved = failures.slice(0, 1).some((worst) => doubtsAbout(grave, statementsOfFailure(worst)).length > 0);
	const again = { command: manifest.command || formatProjectCommand(['run']), why };
	return isMoved ? [again, ...onceValid([...advice, ...proving])] : [...proving, again, ...advice];
}

/** @param {TryNext[]} advice @returns {TryNext[]} */
const onceValid = (advice) =>
	advice.map(({ command, why }) => ({ command, why: `if a VALID run says the same: ${why}`, once_valid: true }));

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

/**
 * @param {Facts} facts
 * @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger
 * @returns {TryNext[]}
 */
export const watchNext = (facts, ledger) => [...whereNext(facts, ledger), ...whyNext(facts, ledger)];

/**
 * What is followed on the wire is placed by the ids and calls there: no record of a proxy changes that.
 * @param {Facts} facts @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger @returns {TryNext[]}
 */
function whereNext({ raw, hops }, { failures, unattributed }) {
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

/** @param {Facts} facts @param {Pick<Ledger, 'failures'>} ledger @returns {TryNext[]} */
function whyNext({ raw }, { failures }) {
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

/**
 * What would test the accusation, where enough failed for a copy to show it again.
 * @param {{ command: string, architecture: string, hosts?: object[] }} manifest
 * @param {Pick<Ledger, 'failures'>} ledger
 * @param {Pick<Metrics, 'failures' | 'unanswered'>} metrics
 * @param {{ remedies?: Remedy[], isFollowed: boolean }} system
 * @returns {TryNext[]}
 */
export function proveNext({ command, hosts }, { failures: [worst] }, { failures, unanswered }, { remedies = [], isFollowed }) {
	const canTry = isFollowed || remedies.some(({ system }) => system !== undefined);
	if (worst === undefined || hosts || !canTry || failures + unanswered < PROVABLE_LEAST) return [];
	return [
		{
			command: isFollowed ? formatProjectCommand(['prove']) : formatCommand(['prove'], [], launcherOf(command)),
			why: `changes one thing at a time in copies, and says which change ends the failures at ${worst.service}`,
		},
	];
}

/** @param {Record<string, number>} counts */
const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

/*
 * What would tell more of a user's own system that lost nothing: where it gives way, which a run without failures does not know.
 */

/** Short faults, each once: minutes. */
const TRY_FAULTS = ['FAULTS=short', 'REPEATS=1'];
/** A command without a system's name. Those that have one are asked by experiments where they give way. */
const OF_FOLDER = /(?:^| )doubletake (?:run|swarm)$/;

/**
 * Of a run that was broken on purpose the next one is the user's to choose.
 * @param {any} manifest  with its command as it can be typed
 * @param {object} of
 * @param {Doubts} of.doubts
 * @param {Pick<Result, 'validity' | 'metrics' | 'bottleneck'>} of.result
 * @returns {TryNext[]}
 */
export function moreLoad(manifest, { doubts, result: { validity, metrics, bottleneck } }) {
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
	const top = Math.max(...shape.stages.map((/** @type {{ target: number }} */ { target }) => target));
	const reached = bottleneck === null ? 'no bottleneck could be named' : `${tierName(bottleneck.tier)} was at a limit`;
	const twice = withOption(command, name, String(2 * top));
	return knownCommand(twice) === null || 2 * top > mostUsers(command)
		? []
		: [{ command: twice, why: `nothing failed, and ${reached}: twice the ${most} show what gives way first` }];
}

/** That its generators have memory for. @param {string} command */
const mostUsers = (command) => USERS_EACH_MOST * Number(/(?:^| )GENERATORS=(\d+)/.exec(command)?.[1] ?? 1);

/** @type {(command: string, name: string, value: string) => string} */
function withOption(command, name, value) {
	const given = new RegExp(`(?<=^| )${name}=('[^']*'|\\S+)`);
	return given.test(command) ? command.replace(given, `${name}=${value}`) : `${name}=${value} ${command}`;
}

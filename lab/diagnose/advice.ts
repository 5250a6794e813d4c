/**
 * What to try next: a system that takes away the cause of most failures, unless the lab's own experiments speak against it; of a run that
 * says nothing, what would make it say something, and what would be tried then.
 */

import { formatCommand, formatProjectCommand, launcherOf, shellWord } from '../base/format-command.ts';
import { DEFAULT_BUDGET } from '../catalog/budgets.ts';
import { isWorthTrying, type MeasuredRemedy, measuredRemedies } from '../catalog/measured-remedies.ts';
import type { Remedy } from '../catalog/project-schema.ts';
import { CONDITIONS } from '../options/accepted-options.ts';
import type { Ledger, Metrics, TryNext } from '../record/types.js';
import { count, percent, tierName } from '../stats/figure-words.ts';
import type { Facts } from './ledger/facts.ts';

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

/**
 * experiment.yaml in a user's folder: a question of their own system, the arms that answer it, under which loads and how often they are
 * run, and what is claimed of them. Each arm is said as `--a` and `--b` say a side.
 */

import { join } from 'node:path';
import { readText } from '../../base/bounded-file.ts';
import { NotReadyError } from '../../base/errors.ts';
import { refuseLed } from '../../base/files.ts';
import { instead, nearest } from '../../base/nearest.ts';
import type { Claim } from '../../catalog/claims.ts';
import type { Curve } from '../../catalog/experiments.ts';
import { familyOf, metricOf, metrics } from '../../catalog/metrics.ts';
import { parseChecked } from '../../catalog/project-file.ts';
import type { Problem } from '../../catalog/project-problems.ts';
import type { ProjectLoad } from '../../catalog/project-schema.ts';
import { PROJECT_SCHEMA } from '../../catalog/project-schema.ts';
import { REPEATS_MOST } from '../../options/options.ts';
import type { AttachedService } from '../../target/compose-model.ts';
import type { KeptLoad } from '../plan.ts';
import { namedUnder } from './choose-arms.ts';

/** as the file has it */
type ProjectQuestion = {
	question: string;
	title?: string;
	/** by their names; nothing: the folder as it is */
	arms: Record<string, string | string[] | null>;
	/** the first arm against each of the others unless given */
	pairs?: [string, string][];
	/** by their names; doubletake.yaml's alone unless given */
	loads?: Record<string, LoadChange>;
	/** where the arms are numbers of something, of which a capacity plan is to be made */
	nodes?: Nodes;
	repeats?: number;
	claims?: ProjectClaim[];
};

type Nodes = {
	/** services whose containers are counted */
	of: string | string[];
	/** how many each has */
	arms: Record<string, number>;
};

export type LoadChange = KeptLoad['change'];

type ProjectClaim = {
	id: string;
	statement: string;
	/** id */
	metric: string;
	arm: string;
	/** the arm that it is compared with; none: by itself */
	against?: string;
	/** where there are several */
	load?: string;
	at_least?: number;
	at_most?: number;
};

export const EXPERIMENT_FILE = 'experiment.yaml';

/** Of an arm, a load or a claim: it is part of a folder's name, of a sentence and of a command. */
const NAME = '^[A-Za-z0-9][\\w .=-]{0,39}$';
const NAMED = 'a name of at most 40 letters, digits, spaces and . = _ -, such as "four workers"';
const METRICS = metrics.filter((metric) => familyOf(metric) !== 'own').map(({ id }) => id);
const BOUNDS = ['at_least', 'at_most'] as const;

/** A capacity plan is fitted on three numbers, and tried on a fourth (lab/capacity/check.ts). */
const NUMBERS_LEAST = 4;
const NODES_MOST = 1000;

const text = (description: string) => ({ type: 'string', minLength: 1, description });
const named = (description: string) => ({ type: 'string', description });
const { script, shape, users, think_ms } = PROJECT_SCHEMA.properties.load.properties;

/** Each description ends the sentence "expected ...". */
const SCHEMA: Record<string, any> = {
	type: 'object',
	description: 'names and values (question, title, arms, pairs, loads, nodes, repeats, claims)',
	additionalProperties: false,
	required: ['question', 'arms'],
	properties: {
		question: text('a question'),
		title: text('a title'),
		arms: {
			type: 'object',
			minProperties: 2,
			propertyNames: { pattern: NAME, description: NAMED },
			description: 'at least two arms by their names, such as { two: WORKERS=2, four: WORKERS=4 }',
			additionalProperties: {
				type: ['string', 'array', 'null'],
				minLength: 1,
				description:
					'what compare takes as --a, or a list of that: Compose files, NAME=value of a variable that they read, rev:REVISION of git; nothing for the folder as it is',
				items: text('Compose files, NAME=value of a variable that they read, or rev:REVISION of git'),
			},
		},
		pairs: {
			type: 'array',
			minItems: 1,
			description: 'a list of pairs of arms, such as [[two, four]]',
			items: {
				type: 'array',
				minItems: 2,
				maxItems: 2,
				description: 'a pair of arms: baseline and candidate',
				items: named('the name of an arm; in quotes if it could be read as a number'),
			},
		},
		loads: {
			type: 'object',
			minProperties: 1,
			propertyNames: { pattern: NAME, description: NAMED },
			description: 'loads by their names, such as { light: { users: 20 }, heavy: { users: 200 } }',
			additionalProperties: {
				type: 'object',
				description: 'in what it is another load than that of doubletake.yaml: shape, users and think_ms, or script',
				additionalProperties: false,
				properties: { script, shape, users, think_ms },
			},
		},
		nodes: {
			type: 'object',
			description: 'of and arms, such as { of: web, arms: { one: 1, two: 2, three: 3, four: 4 } }',
			additionalProperties: false,
			required: ['of', 'arms'],
			properties: {
				of: {
					type: ['string', 'array'],
					minLength: 1,
					minItems: 1,
					description: 'the service whose containers are counted, or a list of such services',
					items: text('the name of a service; in quotes if it could be read as a number'),
				},
				arms: {
					type: 'object',
					minProperties: NUMBERS_LEAST,
					description: `at least ${NUMBERS_LEAST} arms with how many each has, three to fit a capacity plan and one to try it on, such as { one: 1, two: 2, three: 3, four: 4 }`,
					additionalProperties: { type: 'integer', minimum: 1, maximum: NODES_MOST, description: `a whole number from 1 to ${NODES_MOST}` },
				},
			},
		},
		repeats: { type: 'integer', minimum: 1, maximum: REPEATS_MOST, description: `a whole number from 1 to ${REPEATS_MOST}` },
		claims: {
			type: 'array',
			minItems: 1,
			description: 'a list of claims',
			items: {
				type: 'object',
				description: 'id, statement, metric, arm, and at_least or at_most; against, where it is about two arms',
				additionalProperties: false,
				required: ['id', 'statement', 'metric', 'arm'],
				properties: {
					id: { type: 'string', pattern: '^[A-Za-z][\\w-]{0,19}$', description: 'a short name, such as C1' },
					statement: text('what is claimed, as a sentence'),
					metric: { enum: METRICS, description: `one of ${METRICS.join(', ')}` },
					arm: named('the name of an arm; in quotes if it could be read as a number'),
					against: named('the name of another arm; in quotes if it could be read as a number'),
					load: named('the name of a load'),
					at_least: { type: 'number', description: 'a number' },
					at_most: { type: 'number', description: 'a number' },
				},
			},
		},
	},
};

/**
 * @param folder of doubletake.yaml
 * @param name of the file
 * @throws {NotReadyError} when there is none, or naming each line at fault
 */
export async function readQuestion(folder: string, name: string): Promise<ProjectQuestion> {
	refuseLed(folder, name);
	const found = readText(join(folder, name));
	if (found === null)
		throw new NotReadyError(
			`experiment: expected ${name} in ${folder}, with a question and its arms; found none.`,
			'write it: "question: Are four workers better than two?" and "arms: { two: WORKERS=2, four: WORKERS=4 }" are enough.',
		);
	return parseChecked(found, name, { schema: SCHEMA, meaning: problemsIn });
}

/** What follows from several entries together. */
const problemsIn = (question: ProjectQuestion): Problem[] => [
	...alikeProblems(question.arms),
	...pairProblems(question),
	...nodesProblems(question),
	...(question.claims ?? []).flatMap((claim, index) => claimProblems(claim, index, question)),
];

/** Two names that make one folder. */
function alikeProblems(arms: ProjectQuestion['arms']): Problem[] {
	const key = (name: string) => name.toLowerCase().replaceAll(/[^\w]+/g, '-');
	const names = Object.keys(arms);
	return names.flatMap((name, index) => {
		const other = names.slice(0, index).find((earlier) => key(earlier) === key(name));
		if (other === undefined) return [];
		const found = `${JSON.stringify(name)} beside ${JSON.stringify(other)}`;
		return [
			{ at: ['arms'], key: name, expected: 'names that differ in more than capitals and punctuation', found, remedy: 'rename one of them' },
		];
	});
}

function pairProblems({ arms, pairs = [] }: ProjectQuestion): Problem[] {
	return pairs.flatMap((pair, index) => {
		const at = ['pairs', String(index)];
		const unknown = pair.find((name) => !Object.hasOwn(arms, name));
		if (unknown !== undefined) return [unknownIn(at, unknown, Object.keys(arms))];
		if (pair[0] !== pair[1]) return [];
		return [{ at, expected: 'two arms', found: `${JSON.stringify(pair[0])} twice`, remedy: 'name another one, or leave the pair out' }];
	});
}

function nodesProblems({ arms, nodes, loads = {} }: ProjectQuestion): Problem[] {
	if (nodes === undefined) return [];
	const at = ['nodes', 'arms'];
	const named = Object.keys(nodes.arms);
	const numbers = Object.values(nodes.arms);
	const unknown = named.find((name) => !Object.hasOwn(arms, name));
	const twice = numbers.find((number, index) => numbers.indexOf(number) < index);
	const problems: Problem[] = [];
	if (unknown !== undefined) problems.push(unknownIn(at, unknown, Object.keys(arms)));
	if (twice !== undefined)
		problems.push({ at, expected: 'another number for each arm', found: `${twice} twice`, remedy: 'leave one of the two out' });
	if (Object.keys(loads).length > 1)
		problems.push({
			at: ['nodes'],
			expected: 'one load beside it, under which all numbers are measured',
			found: Object.keys(loads).join(', '),
			remedy: 'leave the others out of loads, or write them into a file of their own',
		});
	return problems;
}

function claimProblems(claim: ProjectClaim, index: number, { arms, loads = {}, claims = [] }: ProjectQuestion): Problem[] {
	const at = ['claims', String(index)];
	const [ofArms, ofLoads] = [Object.keys(arms), Object.keys(loads)];
	const given = BOUNDS.filter((bound) => claim[bound] !== undefined);
	const problems: Problem[] = [];
	if (claims.findIndex(({ id }) => id === claim.id) < index)
		problems.push({ at: [...at, 'id'], expected: 'each id once', found: `${claim.id} twice`, remedy: 'rename one of them' });
	if (given.length !== 1)
		problems.push({ at, expected: 'at_least or at_most', found: given.join(' and ') || 'neither', remedy: 'say which of the two' });
	for (const key of ['arm', 'against'] as const) {
		const name = claim[key];
		if (name !== undefined && !ofArms.includes(name)) problems.push(unknownIn([...at, key], name, ofArms));
	}
	if (claim.arm === claim.against)
		problems.push({
			at: [...at, 'against'],
			expected: 'another arm',
			found: JSON.stringify(claim.arm),
			remedy: 'name the one that it is compared with',
		});
	if (claim.load !== undefined && !ofLoads.includes(claim.load))
		problems.push(unknownIn([...at, 'load'], claim.load, ofLoads.length > 0 ? ofLoads : ['no load, where loads has none']));
	if (claim.load === undefined && ofLoads.length > 1)
		problems.push({ at, expected: `an entry "load" (${ofLoads.join(', ')})`, found: 'none', remedy: 'say under which load it is claimed' });
	return problems;
}

function unknownIn(at: string[], name: string, known: string[]): Problem {
	const meant = nearest(name, known);
	const remedy = meant === null ? 'use one of these' : `write "${meant}" instead of ${JSON.stringify(name)}`;
	return { at, expected: `one of ${known.join(', ')}`, found: JSON.stringify(name), remedy };
}

/**
 * @param models of each arm
 * @param file in which it is said
 * @returns the curve of it, as those of the lab have it
 * @throws {NotReadyError} when what is counted is no service of any arm, or an arm has another number of containers than is said
 */
export function curveIn(
	nodes: Nodes | undefined,
	models: Record<string, Pick<AttachedService, 'service' | 'replicas'>[]>,
	file: string,
): Curve | undefined {
	if (nodes === undefined) return undefined;
	const counted = [nodes.of].flat();
	const all = [...new Set(Object.values(models).flatMap((own) => own.map(({ service }) => service)))];
	const unknown = counted.find((service) => !all.includes(service));
	if (unknown !== undefined)
		throw new NotReadyError(
			`${file}, nodes.of: expected services of the arms, ${all.join(', ')}; found "${unknown}".`,
			instead(unknown, all, 'name the service that the arms have different numbers of.'),
		);
	const found = Object.entries(nodes.arms).map(([arm, number]) => ({ arm, number, containers: containersOf(models[arm], counted) }));
	const [first] = found;
	// Processes and threads are counted too, which are within containers.
	const areWithin = found.every(({ containers }) => containers === first.containers);
	const other = found.find(({ number, containers }) => containers !== number);
	if (!areWithin && other !== undefined)
		throw new NotReadyError(
			`${file}, nodes.arms.${other.arm}: expected as many containers of ${counted.join(', ')} as the arm is said to have, ${other.number}; Compose makes ${other.containers}.`,
			`say ${other.containers}, or let the arm have ${other.number} (deploy.replicas, or a Compose file of its own).`,
		);
	return { x_label: 'nodes', metric: 'goodput_rps', x: nodes.arms, of: { services: counted, all } };
}

const containersOf = (models: Parameters<typeof curveIn>[1][string], counted: string[]) =>
	models.reduce((total, { service, replicas }) => total + (counted.includes(service) ? replicas : 0), 0);

/** @returns as the command line has a side */
export const saidOf = (said: ProjectQuestion['arms'][string]): string[] => (said === null ? [] : [said].flat());

/**
 * @param id of the experiment
 * @param file in which they are
 * @returns as the lab's own are
 */
export const claimsIn = ({ claims = [], loads = {} }: ProjectQuestion, id: string, file: string): Claim[] =>
	claims.map((claim) => claimFrom(claim, { id, file, isUnderSeveral: Object.keys(loads).length > 1 }));

function claimFrom(
	{ id, statement, metric, load = '', at_least: least, at_most: most, ...about }: ProjectClaim,
	{ id: experiment, file, isUnderSeveral }: { id: string; file: string; isUnderSeveral: boolean },
): Claim {
	const { unit, label: name, scale } = metricOf(metric);
	const [arm, against] = [about.arm, about.against].map((one) => (one && isUnderSeveral ? namedUnder(one, load) : one));
	const wanted = (least === undefined ? 'at most' : 'at least') as 'at least' | 'at most';
	const threshold = Number(least ?? most);
	const bound = { metric, wanted, threshold, published: null };
	const label = against === undefined ? `${name}, ${arm}` : `${name}, ${arm} over ${against}`;
	const of = arm as string;
	const test: Claim['tests'][number] =
		against !== undefined
			? { kind: 'compare', label, base: against, other: of, ...bound }
			: { kind: unit === 'share' ? 'level' : 'outcome', label, arm: of, ...bound };
	return {
		...{ id, experiment, statement, source: file, published: [], own: true, tests: [test], relief: null },
		test: `${label}: ${wanted} ${threshold}${HOW[against !== undefined ? scale : test.kind]}.`,
		delta: 'none: the threshold is the claim’s',
		shown: [of, against].flatMap((one) => (one === undefined ? [] : [`${one}: {${metric}@${one}}`])),
		quotes: {
			HOLDS: `${label}: {test 1}, as claimed.`,
			REFUTED: `${label}: {test 1}, and ${wanted} ${threshold} was claimed.`,
			INCONCLUSIVE: `${label}: {test 1}, too uncertain to say whether it is ${wanted} ${threshold}.`,
		},
	};
}

/** How a figure is compared with the threshold. */
const HOW: Record<string, string> = { ratio: ' times as much', difference: ' more', level: '', outcome: ' in three of four runs and more' };

/**
 * @param load of doubletake.yaml
 * @throws {NotReadyError} where the change would change nothing
 */
export function loadUnder(load: ProjectLoad, name: string, { script: other, ...changed }: LoadChange): ProjectLoad {
	const idle = Object.keys(changed);
	const isScript = other !== undefined || load.script !== undefined;
	if (isScript && idle.length > 0)
		throw new NotReadyError(
			`loads.${name}: expected no "${idle[0]}" beside a script, which says itself who comes when; found ${changed[idle[0] as 'users']}.`,
			`leave out "${idle[0]}", and give the load a script of its own: { script: ${name}.js }.`,
		);
	return other === undefined ? { ...load, ...changed } : { script: other };
}

/**
 * A published trigger that makes a service fail for good, or not, by a few per cent of depth, length or load.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';
import type { Arm } from '../../lab/options/arms.ts';

/**
 * Of what the system serves when it is full. By a model of 50 connections that share the database's CPU and of users who wait 3 s and
 * send again at once, four times, the published outcomes come together from 32 to 35 % of it: above, 9 s are too long as well; below,
 * service comes back after 10 s too.
 */
const [RATE, QUARTER_LESS] = ['33%', '24.75%'];
/** So many that a request takes about 10 ms of MongoDB's CPU: what it does on its own (0.03 of a core, measured) is little beside it. */
const READ_COST = '100000';
export const cutArm: (id: string, cut: string, variables?: Record<string, string>) => Arm = (id, cut, variables = {}) => ({
	id,
	architecture: 'a-limits',
	variables: { FAULT: `cpu mongo ${cut}`, TIMEOUT: '3000', RETRIES: '4', READ_COST, RATE, ...variables },
});
/** Of all experiments with this trigger. */
export const METASTABLE = {
	load: 'constant',
	budget: 'half-database',
	remarks: [
		'the source had a replica set of machines with 2 vCPU, here it is one MongoDB with half of the machine; depth, length and resends are the published ones; the rate, which is not published, is a third of what the system serves when it is full, by a model of its queue',
		'an earlier plan gave MongoDB a tenth of a core; after 8 of 32 runs it was given up: of a cut to a fifth nothing was left beside what MongoDB does on its own, so that service stayed down under a quarter less load too',
		'an open load: users who fail do not ask for less, so that nothing but the end of the cut can let service come back',
	],
};

/** Where lists have it. */
export const place = 3;

export const experiment: Experiment = {
	title: 'A failure that stays when its cause is gone',
	question: 'Does a service that ran well come back when a cut in its CPU is over, and what does that hang on?',
	...METASTABLE,
	arms: [
		cutArm('to-20-10s', '20%@20s+10s'),
		cutArm('to-22.5-10s', '22.5%@20s+10s'),
		cutArm('to-20-9s', '20%@20s+9s'),
		cutArm('less-load', '20%@20s+10s', { RATE: QUARTER_LESS }),
	],
	pairs: [
		['to-20-10s', 'to-22.5-10s'],
		['to-20-10s', 'to-20-9s'],
		['to-20-10s', 'less-load'],
	],
};

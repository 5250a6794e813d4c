import type { Experiment } from '../../lab/catalog/experiments.ts';

/**
 * All remedies for a lost request, each as a system of its own.
 */
const REMEDIES = ['2a-shed', '2a-maxconn', '2a-breaker', '2a-list', '2a-queue', '2a-shard', '2a-replica', '2a-dbcap'];

/** Where lists have it. */
export const place = 11;

export const experiment: Experiment = {
	title: 'The remedies, and what they cost',
	question: 'Which remedy cures what, and at what price?',
	load: 'patient',
	// Calm at three quarters of what 2a serves, so that what is not served comes of the surge; half as much again in it, so that more has
	// to wait than is answered within the time-out. The share of one system for all arms, or each would have its own load.
	further_loads: [{ load: 'surge', variables: { RATE: '150%', TIMEOUT: '2000' } }],
	// Small nodes, so that what a remedy adds fits the machine beside them.
	budget: 'scale',
	remarks: [
		'nodes, balancer and each MongoDB have the quotas of a system of four nodes, of which two are there: room for what a remedy adds; a consumer has the quota of a node, and Redis none, because no calibration measures what a message costs',
		'HAProxy (2a-maxconn) has the quota that follows from what a request costs Nginx',
		'an earlier plan set no quotas, and surged to 120 % of what 2a serves with users who wait for 60 s: k6 had no free user left in its first two runs, and with a time-out the observers had no CPU; after those two, both INVALID, and four single runs of other settings it was given up; single runs of this plan were made before it began, at first with a surge whose warm-up filled the queue of 2a-queue, and none of all these is counted; since then a surge is warmed up at its calm rate, and a queue rests for 10 s before the load',
		'2a-list and 2a-queue have the connection table of 2a, as published, all other remedies that of 2a-slots; 2a-dbcap is no remedy but the exhaustion that the source blames',
	],
	arms: ['2a', '2a-slots', ...REMEDIES].map((id) => ({ id, architecture: id })),
	pairs: [['2a', '2a-slots'] as [string, string], ...REMEDIES.map((id) => ['2a-slots', id] as [string, string])],
};

/**
 * The same nodes behind three balancers.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 10;

export const experiment: Experiment = {
	title: 'Three balancers at their defaults',
	question: 'What do 2,000 users do to Nginx, HAProxy and Envoy, each at its defaults?',
	load: 'ramp',
	// Quotas would follow from what a request costs Nginx, and the others are other programs.
	budget: 'none',
	remarks: [
		'at its defaults Nginx (as published) has one worker process, HAProxy and Envoy have as many threads as the machine has cores',
		'Nginx makes a connection to a node for each request, HAProxy and Envoy keep theirs: that is part of what is compared',
		'without quotas all tiers and the generator share the cores of one machine, so that what a balancer costs is taken from the nodes',
		'a closed loop: a user whose request failed is soon back with another, so that failing fast raises the number of failed requests, and with it the failure rate',
	],
	arms: ['2a', '2a-haproxy', '2a-envoy'].map((id) => ({ id, architecture: id })),
	pairs: [
		['2a', '2a-haproxy'],
		['2a', '2a-envoy'],
		['2a-haproxy', '2a-envoy'],
	],
};

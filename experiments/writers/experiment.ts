import type { Experiment } from '../../lab/catalog/experiments.ts';

/**
 * A published test of threads that insert into a store with one writer for each file.
 */
const WRITERS = ['1', '2', '4', '8', '10'];

/** Where lists have it. */
export const place = 8;

export const experiment: Experiment = {
	title: 'Ten threads on one file',
	question: 'Does a store with one writer for each file insert more with more threads, or with more files?',
	load: 'inserts',
	budget: 'none',
	arms: [
		...WRITERS.map((threads) => ({ id: `threads-${threads}`, architecture: 'tokyo', variables: { THREADS: threads } })),
		...WRITERS.slice(1).map((files) => ({ id: `files-${files}`, architecture: 'tokyo', variables: { FILES: files } })),
	],
	pairs: [
		['threads-1', 'threads-4'],
		['threads-4', 'threads-8'],
		['threads-4', 'threads-10'],
		['threads-1', 'files-2'],
		['threads-4', 'files-4'],
		['threads-10', 'files-10'],
	],
	remarks: [
		'each of N files holds an Nth of the records, so that its hash chains are shorter: part of what several files gain comes from that and not from their writers (one thread inserted 2 million records at 1.7 times the rate of 4 million, in a single check)',
	],
	published: {
		section: 'writers',
		runs: { 'threads-4': '4', 'threads-8': '8', 'threads-10': '10' },
		figures: { goodput_rps: 'throughput_inserts_per_s' },
	},
};

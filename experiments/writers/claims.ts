/** The claims of "Tokyo Tyrant - The Extras Part III: Write Bottleneck". */

import type { CompareTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.writers;
const rate = (threads: string) => runs[threads].throughput_inserts_per_s;
/** The published rates differ by 7 % and are called the same: a change counts from a tenth on. */
const DELTA = 0.1;

const SOURCE_SAYS = ['4', '8', '10'].map((threads) => ({
	label: `${threads} threads`,
	text: `${Math.round(rate(threads)).toLocaleString('en-US')} inserts a second`,
}));

const inserts: (base: string, other: string, wanted: 'at least' | 'at most', value: number | null) => CompareTest = (
	base,
	other,
	wanted,
	value,
) => ({
	kind: 'compare',
	label: `insert rate, ${other} over ${base}`,
	metric: 'goodput_rps',
	base,
	other,
	wanted,
	threshold: 1 + DELTA,
	published: value,
});

/** As fast, within delta on either side. */
const level: (base: string, other: string, value: number) => CompareTest[] = (base, other, value) => [
	{ ...inserts(base, other, 'at least', value), threshold: 1 - DELTA },
	{ ...inserts(base, other, 'at most', value), label: `the same of ${other}, from above` },
];

export const claims: WrittenClaim[] = [
	{
		id: 'T1',
		statement: 'From four threads on, more threads leave the insert rate of one database file as it is.',
		source,
		published: SOURCE_SAYS,
		test: 'Eight and ten threads insert as fast as four, within a tenth on either side: the plateau that the source saw.',
		delta: 'a tenth, on either side: the published rates differ by 7 %',
		changed:
			'It was tested on one side ("do not raise"), so that a fall bore it out as much as the plateau that the source reports; and with one and two threads, which the source did not run.',
		tests: [...level('threads-4', 'threads-8', rate('8') / rate('4')), ...level('threads-4', 'threads-10', rate('10') / rate('4'))],
		beside: [inserts('threads-1', 'threads-4', 'at most', null)],
		remarks: [
			'Ten threads gave {test 3} the rate of four.',
			'Four threads gave {beside 1} the rate of one, which the source did not measure.',
			'This is the engine alone, in one program; the source measured its server over a network.',
		],
		shown: [
			'one thread: {goodput_rps@threads-1}',
			'two: {goodput_rps@threads-2}',
			'four: {goodput_rps@threads-4}',
			'eight: {goodput_rps@threads-8}',
			'ten: {goodput_rps@threads-10}',
		],
		quotes: {
			HOLDS: 'The insert rate stays as it is from four threads on: eight gave {test 1} that of four.',
			REFUTED: 'The insert rate does not stay as it is from four threads on: eight gave {test 1} that of four.',
			INCONCLUSIVE: 'Eight threads wrote at {test 1} the rate of four. Whether the rate falls by more than a tenth is not decided.',
		},
	},
	{
		id: 'T2',
		statement: 'Several database files, each with its own writer, do raise it.',
		source,
		own: true,
		published: [{ label: 'proposed, not measured', text: 'one file for each writer' }],
		test: 'Two files with a writer each insert more than a tenth faster than one writer, and as many files as threads more than a tenth faster than these threads on one file.',
		delta: 'a tenth',
		tests: [
			inserts('threads-1', 'files-2', 'at least', null),
			...['2', '4', '8', '10'].map((number) => inserts(`threads-${number}`, `files-${number}`, 'at least', null)),
		],
		remarks: ['Each of N files holds an Nth of the records, so that its chains are shorter: part of the gain is not the writers’.'],
		shown: ['two files: {goodput_rps@files-2}', 'four files: {goodput_rps@files-4}', 'ten files: {goodput_rps@files-10}'],
		quotes: {
			HOLDS: 'Several files take more inserts: two with a writer each took {test 1} those of one writer.',
			REFUTED:
				'A file for each writer did not pay everywhere: two files took {test 1} the inserts of one writer, ten {test 5} those of ten threads.',
			INCONCLUSIVE:
				'Two files with a writer each took {test 1} the inserts of one writer, ten {test 5} those of ten threads: too uncertain to call.',
		},
	},
];

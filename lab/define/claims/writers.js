/**
 * The claims of "Tokyo Tyrant - The Extras Part III: Write Bottleneck".
 */
import { published } from '../published.js';

const { source, runs } = published.writers;
const rate = (/** @type {string} */ threads) => runs[threads].throughput_inserts_per_s;
/** The published rates differ by 7 % and are called the same: a change counts from a tenth on. */
const DELTA = 0.1;

const SOURCE_SAYS = ['4', '8', '10'].map((threads) => ({
  label: `${threads} threads`,
  text: `${Math.round(rate(threads)).toLocaleString('en-US')} inserts a second`,
}));

/** @type {(base: string, other: string, wanted: 'at least' | 'at most', value: number | null) => import('../claims.js').CompareTest} */
const inserts = (base, other, wanted, value) => ({
  kind: 'compare',
  label: `insert rate, ${other} over ${base}`,
  metric: 'goodput_rps',
  base,
  other,
  wanted,
  threshold: 1 + DELTA,
  published: value,
});

/** @type {import('../claims.js').Claim[]} */
export const writersClaims = [
  {
    id: 'T1',
    experiment: 'writers',
    statement: 'More threads do not raise the insert rate of one database file.',
    source,
    published: SOURCE_SAYS,
    test: 'Eight and ten threads insert no more than a tenth faster than four, as published, and neither do two and four against one. This is one-sided: a fall bears it out as much as the plateau that the source saw.',
    delta: 'a tenth: the published rates differ by 7 %',
    tests: [
      inserts('threads-4', 'threads-8', 'at most', rate('8') / rate('4')),
      inserts('threads-4', 'threads-10', 'at most', rate('10') / rate('4')),
      inserts('threads-1', 'threads-4', 'at most', null),
      inserts('threads-1', 'threads-2', 'at most', null),
    ],
    relief: null,
    shown: [
      'one thread: {goodput_rps@threads-1}',
      'two: {goodput_rps@threads-2}',
      'four: {goodput_rps@threads-4}',
      'eight: {goodput_rps@threads-8}',
      'ten: {goodput_rps@threads-10}',
    ],
    quotes: {
      HOLDS:
        'More threads did not insert faster: four gave {test 3} the rate of one, eight {test 1} that of four. (The test is one-sided: where the source saw a plateau, a fall bears it out too.)',
      REFUTED: 'More threads did insert faster: four gave {test 3} the rate of one, eight {test 1} that of four.',
      INCONCLUSIVE: 'Four threads gave {test 3} the insert rate of one, eight {test 1} that of four: too uncertain to call.',
    },
  },
  {
    id: 'T2',
    experiment: 'writers',
    statement: 'Several database files, each with its own writer, do raise it.',
    source,
    published: [{ label: 'proposed, not measured', text: 'one file for each writer' }],
    test: 'Two files with a writer each insert more than a tenth faster than one writer, and as many files as threads more than a tenth faster than these threads on one file.',
    delta: 'a tenth',
    tests: [
      inserts('threads-1', 'files-2', 'at least', null),
      ...['2', '4', '8', '10'].map((number) => inserts(`threads-${number}`, `files-${number}`, 'at least', null)),
    ],
    relief: null,
    shown: ['two files: {goodput_rps@files-2}', 'four files: {goodput_rps@files-4}', 'ten files: {goodput_rps@files-10}'],
    quotes: {
      HOLDS:
        'Two files with a writer each took {test 1} the inserts of one writer, and ten files {test 5} those of ten threads on one file.',
      REFUTED:
        'A file for each writer did not pay everywhere: two files took {test 1} the inserts of one writer, ten {test 5} those of ten threads.',
      INCONCLUSIVE:
        'Two files with a writer each took {test 1} the inserts of one writer, ten {test 5} those of ten threads: too uncertain to call.',
    },
  },
];

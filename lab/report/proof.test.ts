import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proof, ProofCopy } from '../record/types.js';
import { failingResult } from './fixtures/results.ts';
import { proofLines, proofMarkdown, proofSection } from './proof.ts';
import { renderReport } from './report.ts';

/** A figure and its unit are never torn apart. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

const copy: (failed: number) => ProofCopy = (failed) => ({ run: 'shop/proofs/1/a', failed, requests: 200, good_rps: 12.4, place: '' });
const PROOF: Proof = {
	...{ schema: 1, run: 'shop/1', started: '2026-11-30T06:00:00Z', took_s: 200, outcome: 'proved' },
	sentence: 'Proved by relief: with POOL of <api> at 40 instead of 5, 0 % of the requests failed (2 copies).',
	trouble: {
		service: 'api',
		cause: 'pool-wait',
		title: 'its pool was full',
		failed: 50,
		requests: 100,
		load: 'for the first 20 s of the load',
	},
	as_it_was: [copy(100), copy(96), copy(104)],
	probes: [
		{
			...{ id: 'a', kind: 'knob', service: 'api', title: 'POOL of <api> at 40 instead of 5', line: 'services.api.environment.POOL' },
			...{ verdict: 'proved', text: '', copies: [copy(0), copy(1)] },
		},
		{
			...{ id: 'b', kind: 'two-of-it', service: 'api', title: 'two containers of <api>', line: '' },
			...{ verdict: 'refused', text: 'it did not answer', copies: [] },
		},
		{
			...{ id: 'c', kind: 'one-user', service: '', title: 'one user at a time', line: '' },
			...{ verdict: 'untried', text: '', copies: [] },
		},
	],
	rule: { cured: 0.2, trouble: 0.5, served: 0.8, as_was: 3, relieved: 2, relieved_later: 2 },
};

test('A page has what each change did, with the figures of each copy, the rule, and nothing that came from outside as it is', () => {
	const text = plain(String(proofSection({ proof: PROOF })));
	assert.match(text, /POOL of &lt;api&gt; at 40/);
	assert.match(text, /Not tried, because the answer was already clear: one user at a time/);
	assert.match(text, /100 of 200 \(50 %\), 96 of 200 \(48 %\), 104 of 200 \(52 %\)/);
	assert.match(text, /services\.api\.environment\.POOL/);
	assert.match(text, /could not be measured: it did not answer/);
	assert.match(text, /3 unchanged copies fail and 2 changed copies keep at most 20 %/);
	assert.doesNotMatch(text, /<api>/);
	assert.equal(proofSection({}), false);
});

test('Turns in which a change was switched on and off are a table, and what they are worth is said', () => {
	const turn = (failed: number) => ({ failed, requests: 50, good_rps: 10 });
	const pairs = [{ off: turn(40), on: turn(0) }];
	const [first, ...others] = PROOF.probes;
	const proof = {
		...PROOF,
		probes: [{ ...first, switched: { run: '', agree: false, pairs } }, ...others],
		rule: { ...PROOF.rule, pairs: 6 },
	};
	const text = plain(String(proofSection({ proof })));
	assert.match(text, /<h3>POOL of &lt;api&gt; at 40 instead of 5, switched on and off within one load \(the turns do not agree\)<\/h3>/);
	assert.match(text, /40 of 50 \(80 %\)[\s\S]*0 of 50 \(0 %\)/);
	assert.match(text, /Some changes were also switched on and off 6 times within one load, in random order/);
	assert.match(proofMarkdown({ proof }).join('\n'), /\| 1 \| 40 of 50/);
});

test('A report has it below its verdict, Markdown has it too, and the terminal a line for each change that was tried', async () => {
	const page = await renderReport({ ...failingResult(), proof: PROOF });
	assert.ok(page.indexOf('id="verdict"') < page.indexOf('id="relief"') && page.indexOf('id="relief"') < page.indexOf('id="flow"'));
	assert.match(proofMarkdown({ proof: PROOF }).join('\n'), /### Changes that were tried\n[\s\S]*POOL of /);
	assert.deepEqual(proofMarkdown({}), []);
	assert.deepEqual(proofLines(PROOF).slice(1).map(plain), [
		'proved                       POOL of <api> at 40 instead of 5 (services.api.environment.POOL): 0 of 200 (0 %), 1 of 200 (0.5 %)',
		'could not be measured        two containers of <api>: it did not answer',
	]);
});

/**
 * The findings of the stored experiments, as they are printed: read from the page in Markdown, as a reader does.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../base/paths.ts';
import { formatFindingsMarkdown } from '../../report/findings-markdown.ts';
import { storedFindings } from './findings.ts';

const findings = await storedFindings();
const page = formatFindingsMarkdown(findings).replaceAll(/[\u00a0\\]/g, (character) => (character === '\\' ? '' : ' '));

/** @returns cells of the claim's row: claim, published, verdict, sentence, evidence */
function rowOf(id: string): string[] {
	const line = page.split('\n').find((text) => text.startsWith(`| **${id}** `)) ?? '';
	return line.slice(2).split(' | ');
}

/** What was printed of claims in a way that misleads: the statement and the verdict. Then what has to be printed, and why. */
const MISLEADING: Record<string, { was: [string, string]; now: [string, string]; says: RegExp }> = {
	D1a: {
		was: ['Doubling the app nodes raises throughput about in proportion.', 'HOLDS'],
		now: ['Doubling the app nodes raises throughput about in proportion.', 'REFUTED'],
		says: /not .*about twice .*3\.50 times \(3\.03 to 4\.04\).*budget none: REFUTED.*1\.34 times \(1\.26 to 1\.45\)/,
	},
	D2: {
		was: ['The second node costs availability.', 'REFUTED'],
		now: ['The second node costs availability.', 'DEPENDS'],
		says: /depends on the load\. .*HOLDS\. Two nodes failed more requests than one: \+64\.1 .*\(\+59\.5 to \+67\.0\).*load patient.*REFUTED/,
	},
	D5c: {
		was: ['The lower p95 of successes is an improvement.', 'REFUTED'],
		now: ['The lower p95 of successes is a false positive: more requests fail.', 'DEPENDS'],
		says: /HOLDS\. The lab agrees with the source.*load patient, budget fair: REFUTED/,
	},
	D6: {
		was: ['A queue between app and database restores availability.', 'INCONCLUSIVE'],
		now: ['A queue between app and database restores availability.', 'REFUTED'],
		says: /\+8\.3 percentage points \(\+6\.3 to \+9\.3\)/,
	},
	D6c: {
		was: ['It takes a queue to restore availability.', 'REFUTED'],
		now: ['It takes a queue to restore availability.', 'DEPENDS'],
		says: /depends on the load\. .*load surge, budget scale: HOLDS.*\+35\.5 percentage points \(\+23\.8 to \+54\.6\)/,
	},
	R1b: {
		was: ['From a cut that is a little less deep it comes back.', 'HOLDS'],
		now: ['From a cut that is a little less deep it comes back.', 'INCONCLUSIVE'],
		says: /The runs do not decide.* 75\.0 % \(40\.9 % to 92\.9 %\)/,
	},
	R1g: {
		was: ['A node that drops what nobody waits for any more lets it come back.', 'REFUTED'],
		now: ['A node that drops what has waited as long as its users’ time-out lets it come back.', 'REFUTED'],
		says: /does not come back with a deadline as long as the time-out of 3 s/,
	},
	W1: {
		was: ['Throughput falls from 10 to 20 workers a database.', 'REFUTED'],
		now: ['Throughput falls from 10 to 20 workers a database.', 'DOES NOT CARRY OVER'],
		says: /different bottlenecks/,
	},
	T1: {
		was: ['More threads do not raise the insert rate of one database file.', 'HOLDS'],
		now: ['From four threads on, more threads leave the insert rate of one database file as it is.', 'INCONCLUSIVE'],
		says: /0\.85 times \(0\.82 to 0\.91\)/,
	},
	P4: {
		was: ['Tuning does not help synchronous work.', 'HOLDS'],
		now: ['Tuning has no noticeable impact on synchronous work.', 'REFUTED'],
		says: /0\.17 times \(0\.17 to 0\.17\)/,
	},
};

for (const [id, { was, now, says }] of Object.entries(MISLEADING)) {
	test(`${id} is not printed as it was: its statement, its verdict and its sentence say what was measured`, () => {
		const [claim, , verdict, sentence] = rowOf(id);
		const printed = [claim.replace(`**${id}** `, '').replace(' (the lab’s own question)', ''), verdict.replace(/^\*\*(.*?)\*\*.*$/, '$1')];
		assert.notDeepEqual(printed, was);
		assert.deepEqual(printed, now);
		assert.match(sentence, says);
	});

	test(`${id} keeps what was registered, and says why it is read otherwise`, () => {
		const claim = findings.experiments.flatMap(({ claims }) => claims).find((own) => own.id === id);
		assert.equal(claim?.registered?.verdict, was[1]);
		const note = page.split('\n').find((line) => new RegExp(`^\\d+\\. \\*\\*${id}\\*\\* `).test(line)) ?? '';
		assert.match(note, new RegExp(`Registered before the runs(?:, as “${was[0].replace(/[.()]/g, '.').slice(0, -1)}”)?: ${was[1]}\\.`));
	});
}

test('the claims of publications are counted apart from the questions of the lab’s own, alike on the page, in README and in the documents', async () => {
	const all = findings.experiments.flatMap(({ claims }) => claims);
	const own = all.filter((claim) => claim.own).map(({ id }) => id);
	assert.deepEqual(own, ['D1b', 'D2b', 'D6b', 'D6c', 'R1e', 'R1f', 'R1g', 'R1h', 'R1i', 'B3', 'T2', 'P5']);
	const [published, asked] = [all.length - own.length, own.length];
	assert.match(
		findings.headline,
		new RegExp(`^6 publications make ${published} claims\\. .*\\. The lab adds ${asked} claims of its own\\. .*\\.$`),
	);
	const README = await readFile(join(ROOT, 'README.md'), 'utf8');
	assert.ok(README.includes(findings.headline));
	const statistics = await readFile(join(ROOT, 'docs/statistics.md'), 'utf8');
	const said = `judge ${published} claims of six publications and ${asked} questions of the lab's own.`;
	assert.ok(statistics.replaceAll(/\s+/g, ' ').includes(said), `docs/statistics.md does not say: ${said}`);
});

test('verdicts on runs that were graded by rules replaced since are named: those of the records of before version 2, and no others', () => {
	const ids = findings.experiments.filter(({ grading }) => grading !== null).flatMap(({ claims }) => claims.map(({ id }) => id));
	assert.deepEqual(ids, ['B1', 'B2', 'B3', 'W1', 'W2', 'W3', 'T1', 'T2', 'P1', 'P2', 'P3', 'P4', 'P5']);
	assert.ok(page.includes(`13 verdicts rest on runs that were graded by rules replaced since: ${ids.join(', ')}.`));
});

test('no stage without failures confirms a verdict on failures, and what decides a claim of several tests is named', () => {
	const texts = findings.experiments.flatMap(({ claims }) => claims.flatMap(({ remarks }) => remarks));
	assert.ok(!texts.some((text) => /verdict is the same .*failure rate.* [+−]?0\.\d+ percentage points.* over the stages? to/.test(text)));
	assert.ok(texts.some((text) => /by itself INCONCLUSIVE\. It rests on failures of 2a on MongoDB or its pool\.$/.test(text)));
	const [D2b] = findings.experiments[0].claims.filter(({ id }) => id === 'D2b');
	assert.match(D2b.remarks.join(' '), /Without what was SUSPECT: it cannot be read/);
});

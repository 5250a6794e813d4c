import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES, EXPERIMENT_RECORD } from '../base/paths.ts';
import { claimsOf } from '../catalog/claims.ts';
import { experiments } from '../catalog/experiments.ts';
import { readExcerpt } from '../record/excerpt-file.ts';
import type { ConditionReading, ExperimentResult } from '../record/types.js';
import { claimFinding, dependsOn } from './claim-finding.ts';
import { findingsOf } from './findings.ts';

const stored = async (id: string) => (await readExcerpt(join(EXAMPLES, id)))[EXPERIMENT_RECORD.result];
const claim = (id: string, experiment = 'doubling') => claimsOf(experiment).filter((own) => own.id === id)[0];
const [doubling, queue, surge, patient] = await Promise.all(
	['doubling', 'queue', 'remedies-surge', 'doubling-patient'].map((id) => stored(id)),
);

/** Under which other conditions a claim of its record is read, and how. */
function readElsewhere(id: string, own: any, others: any[]): ConditionReading[] {
	const judged = own.claims.find((one: { id: string }) => one.id === id) ?? own.claims[0];
	const reading = { ...judged, id, remarks: [], doubts: null, is_about_it: true, changed: null };
	return claimFinding({ reading, judged, claim: claim(id), fixed: [], result: own, others, kept: [], href: 'x.html' }).elsewhere;
}

test('a claim is read where another record has its arms, under a load and a budget that it names', () => {
	const found = readElsewhere('D5b', doubling, [doubling, queue, surge, patient]);
	assert.deepEqual(
		found.map(({ load, budget, verdict }) => [load, budget, verdict]),
		[
			['ramp', 'none', 'INCONCLUSIVE'],
			['patient', 'fair', 'HOLDS'],
		],
	);
	assert.equal(found[0].text, 'p95 of successes, 2a over a: 1.02 times (0.87 to 1.16).');
	assert.deepEqual(readElsewhere('D5b', doubling, [doubling, surge]), []);
});

test('another machine is no other condition, and an arm of the same name that is wired otherwise is another arm', () => {
	const elsewhere = { ...queue, machine: { ...queue.machine, text: 'another machine' } };
	assert.deepEqual(readElsewhere('D1a', doubling, [elsewhere]), []);
	assert.equal(readElsewhere('D1a', doubling, [queue]).length, 1);
	assert.deepEqual(readElsewhere('D1a', doubling, [{ ...queue, experiment: 'nothing' }]), []);
});

test('what stands in for an arm that was not measured says so', () => {
	const [there] = readElsewhere('D2b', doubling, [surge]);
	assert.match(there.instead ?? '', /^one node was not measured there/);
	assert.equal(there.text, 'failure rate, 2a-slots less 2a: +25.4 percentage points (+17.1 to +45.1).');
});

const reading: (
	load: string,
	budget: string,
	verdict: 'HOLDS' | 'REFUTED' | 'INCONCLUSIVE',
	low: number,
	high: number,
	blocks?: number,
) => any = (load, budget, verdict, low, high, blocks = 8) => ({
	load,
	budget,
	verdict,
	tests: [{ scale: 'ratio', low, high, blocks }],
});

test('it depends on what differs between two conditions that decide it otherwise, on one thing where one alone differs', () => {
	const own = reading('ramp', 'none', 'REFUTED', 0.1, 0.2);
	assert.equal(dependsOn(own, [reading('surge', 'none', 'HOLDS', 2, 3)]), 'the load');
	assert.equal(dependsOn(own, [reading('ramp', 'fair', 'HOLDS', 2, 3)]), 'the CPU quotas');
	assert.equal(dependsOn(own, [reading('surge', 'scale', 'HOLDS', 2, 3)]), 'the load or the CPU quotas');
	// With a third one of the same quotas as the second it is the load.
	const calm = reading('patient', 'scale', 'REFUTED', 0.1, 0.2);
	assert.equal(dependsOn(own, [calm, reading('surge', 'scale', 'HOLDS', 2, 3)]), 'the load');
});

test('it depends on nothing where all say the same, or where one only has too few runs to say it', () => {
	const own = reading('ramp', 'fair', 'REFUTED', 3, 4);
	assert.equal(dependsOn(own, []), null);
	assert.equal(dependsOn(own, [reading('ramp', 'none', 'REFUTED', 1.2, 1.4)]), null);
	assert.equal(dependsOn(own, [reading('ramp', 'none', 'INCONCLUSIVE', 1, 5)]), null);
	assert.equal(dependsOn(own, [reading('ramp', 'none', 'INCONCLUSIVE', 1, 2)]), 'the CPU quotas');
	assert.equal(dependsOn(own, [reading('ramp', 'none', 'INCONCLUSIVE', 1, 2, 7)]), null);
});

test('under a load that a claim is not about it depends on nothing: there it was not judged', () => {
	const about = { experiments: [], anchorOf: String, index: null, command: '', others: [doubling, queue] };
	const asked = { ...experiments.doubling, id: 'doubling', claims: claimsOf('doubling') };
	const d2 = (result: ExperimentResult) => {
		const found = findingsOf([{ href: 'x.html', markdown: 'x.md', result }], { ...about, experiments: [asked] });
		return found.experiments[0].claims.find(({ id }) => id === 'D2');
	};
	assert.equal(d2(patient)?.verdict, 'DEPENDS');
	const unlike = { ...patient, load: 'smoke', id: 'doubling/smoke' };
	assert.deepEqual([d2(unlike)?.verdict, d2(unlike)?.deviation], [patient.claims.find(({ id }: any) => id === 'D2').verdict, null]);
});

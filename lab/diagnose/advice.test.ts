import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touchesOf } from '../record/touches.ts';
import { proveNext } from './advice.ts';
import { afterDoubts } from './make-valid.ts';

const LEDGER = { failures: [{ service: 'api', cause: 'pool-wait', basis: { where: {}, why: {} } }] } as any;
const metrics: (failures: number, unanswered?: number) => any = (failures, unanswered = 0) => ({ failures, unanswered });
const RUN = { command: 'SEED=1 doubletake run', architecture: 'shop' };

test('What would test an accusation is advised where enough failed, of what copies can be made of', () => {
	const [step] = proveNext(RUN, LEDGER, metrics(57), { isFollowed: true });
	assert.equal(step.command, 'doubletake prove');
	assert.match(step.why, /which change ends the failures at api/);
	assert.equal(proveNext(RUN, LEDGER, metrics(4, 6), { isFollowed: true }).length, 1);
	assert.deepEqual(proveNext(RUN, LEDGER, metrics(9), { isFollowed: true }), []);
	assert.deepEqual(proveNext(RUN, { failures: [] }, metrics(0), { isFollowed: true }), []);
	assert.deepEqual(proveNext({ ...RUN, hosts: [{}] }, LEDGER, metrics(57), { isFollowed: true }), []);
	assert.deepEqual(proveNext(RUN, LEDGER, metrics(57), { isFollowed: false }), []);
});

test('It comes before the same run again where the doubts cannot move the failures, and after it where they can', () => {
	const proving = proveNext(RUN, LEDGER, metrics(57), { isFollowed: true });
	const adviceAfter = (rule: string) => {
		const doubt = { rule, grade: 'INVALID' as const, reason: 'a reason', touches: touchesOf(rule) };
		const doubts = { ofRun: [doubt], ofStages: [] };
		const validity = { verdict: 'INVALID' as const, reasons: [], doubts: [doubt], stages: [] };
		return afterDoubts([], { manifest: { ...RUN, shape: {} }, doubts, validity, ledger: LEDGER, proving }).map(({ command }) => command);
	};
	assert.deepEqual(adviceAfter('neighbours'), ['doubletake prove', RUN.command]);
	assert.deepEqual(adviceAfter('incomplete'), [RUN.command, 'doubletake prove']);
});

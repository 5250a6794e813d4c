import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStart } from '../../lab/record/k6-requests.ts';
import { startLine } from './start.js';

test('the start is longer than what k6 holds back, and the lab reads its moment', () => {
	const line = JSON.stringify({ level: 'error', msg: startLine(1_795_314_154_634) });
	assert.ok(line.length > 4096);
	assert.equal(parseStart(line), 1_795_314_154.634);
});

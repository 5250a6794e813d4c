/** A program of a user's own that keeps the record of the lab's own programs, by a preload. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR, preloaded, SAID_NO } from '../fixtures/preload-cases.ts';
import { answered } from '../fixtures/project-cases.ts';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { limitsOf } from '../limits/limits.ts';
import { buildLedger } from './ledger.ts';

function factsWith(reported: Parameters<typeof preloaded>[1]) {
	const raw = recordOf(answered(500));
	preloaded({ edge: ERROR }, reported)(raw);
	return factsOf(raw);
}

test('every request of it is on record, and not why one failed', () => {
	const { watched, silent, nodes } = factsWith({ lines: SAID_NO });
	assert.deepEqual([watched.has('web'), silent.has('web'), Object.keys(nodes)], [true, true, ['web']]);
});

test('a record without the load’s ids proves nothing, and is a record of its loop all the same', () => {
	const raw = recordOf(answered(500));
	preloaded({ edge: ERROR }, { lines: SAID_NO })(raw);
	const web = raw.adapted.find(({ service }) => service === 'web');
	const { file } = (web as NonNullable<typeof web>).files;
	Object.assign(web ?? {}, { files: { ...web?.files, file: (name: string) => file(name).replaceAll(/^\+\S+/gm, '+other') } });
	const { watched, silent, nodes } = factsOf(raw);
	assert.deepEqual([watched.has('web'), silent.has('web'), Object.keys(nodes)], [false, false, ['web']]);
});

test('its event loop is watched like that of the lab’s own', () => {
	const [calm, busy] = [false, true].map((isBusy) => limitsOf(factsWith({ busy: isBusy }), [1, 2, 3]).find(({ id }) => id === 'loop-web'));
	assert.deepEqual(
		[calm?.reached, busy?.reached],
		[
			[false, false, false],
			[true, true, true],
		],
	);
});

test('it has no pool that the lab knows of, and whom it asked for a request it does not say', () => {
	const { hops, edges } = buildLedger(factsWith({ lines: SAID_NO }));
	assert.deepEqual(
		hops.map(({ service, source }) => [service, source === 'pool events']),
		['k6', 'edge', 'web', 'pool', 'store'].map((service) => [service, false]),
	);
	assert.equal(edges.find(({ from }) => from === 'web')?.sent, null);
	const web = hops.find(({ service }) => service === 'web');
	assert.deepEqual([web?.answered_error, web?.source], [1, 'record of its processes']);
});

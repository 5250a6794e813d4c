import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits } from '../record/fixtures/fits.ts';
import { formatRunMarkdown } from '../report/run-markdown.ts';
import { wireSection } from '../report/sections/wire.ts';
import type { WireRecord } from '../wire/record.ts';
import { system } from './fixtures/project-cases.ts';
import { EVERY_S, projectWire, REQUESTS } from './fixtures/project-wire.ts';
import { recordOf } from './fixtures/record.ts';
import { FROM, SECONDS } from './fixtures/story.ts';
import { resultOf } from './result.ts';

const RATES = '203.0.113.7';
const BANK = '203.0.113.8';

/** Web asks two hosts for each request: one in the clear, which fails once, and one over TLS; and looks up a name that nobody has. */
function asking(): WireRecord {
	const wire = projectWire({
		also: (made, at, index) => {
			const lookUp = { protocol: 'dns', verb: 'A', status: null };
			if (index === 0) {
				made.call('web 192.0.2.53', at - 30, at - 29.99, { ...lookUp, template: 'rates.example', addresses: [RATES] });
				made.call('web 192.0.2.53', at + 0.001, at + 0.002, { ...lookUp, template: 'bank.example', addresses: [BANK] });
			}
			if (index < 3) made.call('web 192.0.2.53', at + 0.001, at + 0.002, { ...lookUp, template: 'cache', code: 'NXDOMAIN' });
			if (index < 3) made.call('web 192.0.2.53', at + 0.001, at + 0.002, { ...lookUp, template: 'cache.lan', code: 'NXDOMAIN' });
			made.call(`web ${RATES}`, at + 0.014, at + 0.016, { on: 'r', ...(index === 9 ? { status: 503, bad: true } : {}) });
			if (index < 40) made.call(`web ${BANK}`, at + 0.0165, at + 0.0175, { on: `b${index}`, protocol: 'tls' });
		},
	});
	const hidden = new Set(wire.connections.filter(({ server }) => server === BANK).map(({ id }) => id));
	wire.calls = wire.calls.filter(({ connection }) => !hidden.has(connection));
	for (const connection of wire.connections.filter(({ id }) => hidden.has(id)))
		Object.assign(connection, { calls: 0, hidden_bytes: 900, last_at: connection.opened_at + 0.05, server_port: 443 });
	const refused = wire.connections.find(({ id }) => hidden.has(id));
	Object.assign(refused as any, { outcome: 'refused', accepted_at: null, hidden_bytes: 0 });
	return wire;
}

function projectResult(wire: WireRecord) {
	const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / SECONDS }), wire };
	system({})(raw);
	raw.manifest.system = { title: 'shop', is_followed: true };
	return resultOf(raw);
}

test('who is asked outside of the stack has a row by its name, with calls, failures and times', () => {
	const [rates, bank, cache, ...others] = projectResult(asking()).wire?.outside ?? [];
	assert.deepEqual(
		[rates.from, rates.name, rates.addresses, rates.connections, rates.calls, rates.failed, rates.time_ms.p50],
		['web', 'rates.example', [RATES], 1, 400, 1, 2],
	);
	// Looked up before the load, and kept.
	assert.deepEqual([rates.lookups, bank.lookups, bank.lookups_failed], [0, 1, 0]);
	assert.deepEqual(
		[bank.name, bank.port, bank.protocol, bank.connections, bank.unopened, bank.calls, bank.open_ms.p50],
		['bank.example', 443, 'tls', 40, 1, null, 50],
	);
	assert.deepEqual([cache.name, cache.addresses, cache.lookups, cache.lookups_failed], ['cache', [], 3, 3]);
	assert.deepEqual(others, []);
});

test('the flow has each of them as a host of its own, and the time of what could be read', () => {
	const { flow, wire, time_ledger: time } = projectResult(asking());
	assert.deepEqual(
		flow.nodes.slice(-2).map(({ label, tier, received, answered_error, note }) => [label, tier, received, answered_error, note]),
		[
			['rates.example', 'outside', 400, 1, ''],
			['bank.example', 'outside', null, null, '1 not connected'],
		],
	);
	assert.deepEqual(flow.edges.slice(-2), [
		{ from: 'web', to: 'outside: rates.example', share: null, requests: 400, source: 'wire' },
		{ from: 'web', to: 'outside: bank.example', share: null, requests: null, connections: 40 },
	]);
	assert.equal(wire?.time?.services.find(({ service }) => service === 'rates.example')?.ms, 2);
	assert.equal(time?.parts.find(({ id }) => id === 'in web')?.label, 'in web, bank.example behind it included');
});

test('this machine is outside of the stack too, and who asks from it is not', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index < 5) made.call('web host', at + 0.014, at + 0.016, { on: 'h' });
			made.call('host edge', at + 0.014, at + 0.016, { on: 'p' });
		},
	});
	const { wire: reported, flow } = projectResult(wire);
	assert.deepEqual(
		reported?.outside?.map(({ from, name, calls }) => [from, name, calls]),
		[['web', 'host', 5]],
	);
	assert.equal(flow.nodes.at(-1)?.label, 'this machine');
});

test('more hosts than the picture has room for are one in it', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index < 6) made.call(`web 203.0.113.${index}`, at + 0.014, at + 0.014 + EVERY_S / 25, {});
		},
	});
	const { flow } = projectResult(wire);
	assert.deepEqual(
		flow.nodes.slice(-4).map(({ label, received }) => [label, received]),
		[
			['203.0.113.0', 1],
			['203.0.113.1', 1],
			['203.0.113.2', 1],
			['3 other hosts', 3],
		],
	);
});

test('what was asked before the load does not count', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index === 0) made.call(`web ${RATES}`, at - 20, at - 19, {});
		},
	});
	assert.ok(wire.connections.some(({ opened_at: at }) => at < FROM));
	assert.deepEqual(projectResult(wire).wire?.outside, []);
});

test('the page and the summary show them, and a result fits its schema', () => {
	const result = projectResult(asking());
	for (const text of [wireSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })])
		for (const wanted of [
			'web → rates.example:80 (203.0.113.7)',
			'web → bank.example:443',
			'tls, not read',
			'web → cache, not found',
			'3, 3 failed',
		])
			assert.ok(text.replaceAll('\u00a0', ' ').includes(wanted), `${wanted} in ${text}`);
	assertFits('result', result);
});

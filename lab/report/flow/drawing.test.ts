import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult } from '../fixtures/results.ts';
import { passedMark, rectangleOf } from './bands.ts';
import type { Box, Flow } from './drawing.ts';
import { layoutNarrow, layoutWide } from './drawing.ts';
import { outletsHeight, wrapText } from './text.ts';

/** Half of two lines. */
const TEXT = 14;

/** with what hangs below them */
const overlap: (one: Box, other: Box) => boolean = (one, other) =>
	one.x < other.x + other.width &&
	other.x < one.x + one.width &&
	one.y < other.y + other.height + outletsHeight(other) &&
	other.y < one.y + one.height + outletsHeight(one);

/** What stands side by side, from left to right. */
const ranksOf = (flow: Flow) => {
	const { boxes } = layoutWide(flow);
	return [...new Set(boxes.map(({ x }) => x))].map((at) => boxes.filter(({ x }) => x === at).map(({ node }) => node.id));
};

test('nodes side by side have one rank, in the order that requests pass', () => {
	assert.deepEqual(ranksOf(failingResult().flow), [['k6'], ['nginx'], ['app-1', 'app-2'], ['pool'], ['mongo']]);
});

test('whom nobody asks stands before whom it asks, and last where it asks nobody', () => {
	const { flow } = failingResult();
	const worker = { ...flow.nodes[2], id: 'worker', label: 'worker' };
	const drawnWith = (edges: typeof flow.edges) => ranksOf({ ...flow, nodes: [...flow.nodes, worker], edges: [...flow.edges, ...edges] });
	const before = [['k6'], ['nginx'], ['app-1', 'app-2']];
	assert.deepEqual(drawnWith([{ from: 'worker', to: 'mongo', requests: 7, share: null }]), [...before, ['pool', 'worker'], ['mongo']]);
	assert.deepEqual(drawnWith([]), [...before, ['pool'], ['mongo', 'worker']]);
});

test('an edge that closes a circle moves no node, and is marked as the way back', () => {
	const { flow } = healthyResult();
	const circle = { ...flow, edges: [...flow.edges, { from: 'mongo', to: 'k6', requests: 1, share: 1 }] };
	assert.deepEqual(ranksOf(circle), ranksOf(flow));
	for (const { bands } of [layoutWide(circle), layoutNarrow(circle)]) {
		const back = bands.find(({ edge }) => edge.from === 'mongo');
		assert.ok(back && passedMark(back.edge) === '← 1' && passedMark(bands[0].edge) === bands[0].edge.requests?.toLocaleString('en-US'));
	}
});

test('no box or outlet covers another, and all are inside the picture', () => {
	const { flow } = failingResult();
	flow.outlets.push({ at: 'app-1', cause_title: 'event loop blocked for longer than the timeout', count: 500, share: 0.0086 });
	for (const layout of [layoutWide(flow), layoutNarrow(flow)]) {
		assert.equal(layout.boxes.length, flow.nodes.length);
		for (const [index, box] of layout.boxes.entries()) {
			assert.ok(box.x >= 0 && box.x + box.width <= layout.width + 0.01 && box.y >= 0, box.node.id);
			assert.ok(box.y + box.height + outletsHeight(box) <= layout.height + 0.01, box.node.id);
			for (const other of layout.boxes.slice(index + 1)) assert.ok(!overlap(box, other), `${box.node.id} and ${other.node.id}`);
		}
	}
});

test('an outlet is as thick as its share of the band of all requests, and never invisible', () => {
	const { flow } = failingResult();
	const [{ at, cause_title }] = flow.outlets;
	flow.outlets = [0.4, 0.1, 0.000_01].map((share) => ({ at, cause_title, count: Math.round(share * 100_000), share }));
	const nginx = layoutWide(flow).boxes.find(({ node }) => node.id === 'nginx');
	assert.ok(nginx);
	const [first, second, third] = nginx.outlets;
	assert.ok(Math.abs(first.thickness / second.thickness - 4) < 0.01);
	assert.equal(third.thickness, 2);
});

test('a flow that loses nothing has no outlet and one straight way', () => {
	const { boxes, bands } = layoutNarrow(healthyResult().flow);
	assert.ok(boxes.every(({ outlets }) => outlets.length === 0));
	assert.equal(bands.length, 3);
	assert.deepEqual(
		bands.map(({ edge }) => edge.requests !== null),
		[true, true, false],
	);
});

test('a way past a box goes around it, with its count where it can be read', () => {
	const { flow } = failingResult();
	flow.edges.push({ from: 'app-1', to: 'mongo', requests: 12, share: null }, { from: 'nginx', to: 'mongo', requests: 40_000, share: 1 });
	const { boxes, bands, height } = layoutWide(flow);
	for (const { labelX: x, labelY: y } of bands) {
		const covering = boxes.find((box) => x > box.x && x < box.x + box.width && y + TEXT > box.y && y - TEXT < box.y + box.height);
		assert.equal(covering?.node.id, undefined);
		assert.ok(y - TEXT >= 0 && y + TEXT <= height);
	}
	const [first, second] = bands.slice(-2);
	assert.ok(Math.abs(first.labelY - second.labelY) >= 2 * TEXT, 'and each has a way of its own');
});

test('text is broken at spaces, and what exceeds the lines ends in an ellipsis', () => {
	assert.deepEqual(wrapText('new client socket closed', 100, 12, 3), ['new client', 'socket closed']);
	assert.deepEqual(wrapText('new client socket closed', 100, 12, 1), ['new client…']);
	assert.deepEqual(wrapText('waitQueueTimeoutMS', 67.3, 12, 2), ['waitQueueT', 'imeoutMS']);
});

test('names and labels that have no room end before their box and the picture do', () => {
	const { flow } = healthyResult();
	const from = flow.nodes[1].id;
	const others = ['rates.a-long-name.example', 'bank.a-long-name.example', 'mail.a-long-name.example'];
	for (const id of others) {
		flow.nodes.push({ id, label: id, tier: 'outside', received: null, answered_ok: null, answered_error: null, note: '' });
		flow.edges.push({ from, to: id, requests: null, share: null, connections: 1234 });
	}
	const { boxes, bands, width } = layoutNarrow(flow);
	for (const { node, lines } of boxes.filter(({ node }) => others.includes(node.id))) {
		assert.match(lines[0].text, /…$/);
		assert.ok(node.label.startsWith(lines[0].text.slice(0, -1)));
	}
	assert.deepEqual([bands.at(-1)?.anchor, (bands.at(-1)?.labelX ?? 0) < width], ['end', true]);
});

test('of two that are asked side by side on a narrow screen no label stands on the other', () => {
	const { flow } = healthyResult();
	const from = flow.nodes[1].id;
	const edges = (['rows', 'kv'] as const).map((to) => ({
		from,
		to,
		requests: 690,
		share: null,
		source: 'wire' as const,
	}));
	const nodes = ['rows', 'kv'].map((id) => ({
		id,
		label: id,
		tier: 'cache' as const,
		received: 690,
		answered_ok: 690,
		answered_error: 0,
		note: '',
	}));
	const { bands } = layoutNarrow({ ...flow, nodes: [flow.nodes[0], flow.nodes[1], ...nodes], edges: [flow.edges[0], ...edges] });
	assert.deepEqual(
		bands.slice(1).map(({ anchor }) => anchor),
		['start', 'middle'],
	);
});

/** Two that ask the same two, and one more beside them. */
function crossing() {
	const { flow } = healthyResult();
	const [user] = flow.nodes;
	const node = (id: string) => ({
		...{ id, label: id, tier: 'app' as const, received: 90, answered_ok: 90, answered_error: 0, note: '' },
	});
	const edge = (from: string, to: string, more = {}) => ({ from, to, requests: 120, share: null, ...more });
	const unread = { requests: null, connections: 19 };
	const wire = { source: 'wire' as const };
	const edges = [
		...[edge(user.id, 'edge'), edge(user.id, 'gate-1', unread), edge(user.id, 'gate-2', unread)],
		...['edge', 'gate-1', 'gate-2'].flatMap((from) => ['api', 'web'].map((to) => edge(from, to, wire))),
	];
	return { ...flow, nodes: [user, ...['edge', 'gate-1', 'gate-2', 'api', 'web'].map(node)], edges, outlets: [] };
}

test('labels of bands that cross or lie close do not stand on each other', () => {
	const flow = crossing() as any;
	for (const [layout, isWide] of [
		[layoutWide(flow), true],
		[layoutNarrow(flow), false],
	] as const) {
		const places = layout.bands.map((band) => rectangleOf(band, { x: band.labelX, y: band.labelY }, isWide));
		for (const [index, one] of places.entries())
			for (const other of places.slice(index + 1))
				assert.ok(
					one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top,
					`${isWide}: ${JSON.stringify([one, other])}`,
				);
	}
});

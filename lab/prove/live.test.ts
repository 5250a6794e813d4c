import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveKnob, liveTurns, pairsOf } from './live.ts';

const image = { entrypoint: [], command: [] };
const knob = { name: '', from: '60', to: '480', kind: 'setting' as const, changes: { command: [] } };
const file = { source: '/shop/x.conf', target: '/etc/x.conf', text: 'b', was: 'a' };

test('A store is told another value by its own program, with the password of its command', () => {
	const found = { command: ['redis-server', '--requirepass', 'hush', '--maxclients', '60'] };
	const live = liveKnob({ ...knob, name: '--maxclients' }, 'redis', { found, product: 'redis', image }) as any;
	assert.deepEqual(live.set, { on: 'CONFIG SET maxclients 480', off: 'CONFIG SET maxclients 60' });
	assert.deepEqual([live.value, live.env], [{ on: '480', off: '60' }, ['REDISCLI_AUTH=hush']]);
	assert.equal(liveKnob({ ...knob, name: '--databases' }, 'redis', { found, product: 'redis', image }), null);
});

test('A server reads its file again on its signal where that reaches it, and nothing else does', () => {
	const of = (found: any, product = 'nginx') => liveKnob({ ...knob, name: 'worker_connections', file }, 'lb', { found, product, image });
	assert.deepEqual(of({ command: ['nginx', '-g', 'daemon off;'] }), {
		kind: 'file',
		service: 'lb',
		path: '',
		on: 'b',
		off: 'a',
		signal: 'SIGHUP',
	});
	assert.equal(of({ command: ['sh', '-c', 'nginx'] }), null);
	assert.equal(of({ command: ['haproxy', '-f', '/x'] }, 'haproxy'), null, 'without a master the signal would end it');
	assert.equal((of({ command: ['haproxy', '-W', '-f', '/x'] }, 'haproxy') as any).signal, 'SIGUSR2');
	assert.equal(of({}, 'php-fpm'), null);
});

test('A quota of CPU can be lifted while the load goes on, a limit of memory cannot', () => {
	const limit = (name: string) => liveKnob({ ...knob, name, to: '2', kind: 'limit' }, 'api', { found: {}, product: 'opaque', image });
	assert.deepEqual(limit('cpus'), { kind: 'quota', service: 'api', cores: 2 });
	assert.equal(limit('memory'), null);
});

test('Turns come in pairs by lot, as long as the failures of the run need', () => {
	const { turns, seconds } = liveTurns({ failedRps: 100, pairs: 6, leadS: 20, seed: 3 }) ?? { turns: [], seconds: 0 };
	assert.deepEqual([turns.length, seconds, turns[0].from_s, turns.at(-1)?.to_s], [12, 36, 20, 56]);
	for (let at = 0; at < 12; at += 2) assert.notEqual(turns[at].is_on, turns[at + 1].is_on);
	assert.equal(liveTurns({ failedRps: 2, pairs: 6, leadS: 20, seed: 3 })?.seconds, 60);
	assert.equal(liveTurns({ failedRps: 1, pairs: 6, leadS: 20, seed: 3 }), null);
	assert.equal(liveTurns({ failedRps: 0, pairs: 6, leadS: 20, seed: 3 }), null);
});

test('Requests count in the turn in which they began, without its first second; a turn that was not as asked takes its pair with it', () => {
	const turn = (is_on: boolean, from_s: number, failed: string | null = null) => ({ is_on, from_s, to_s: from_s + 3, failed });
	const request = (began: number, isGood: boolean) => ({ isGood, ended: began + 2, waitedMs: 2000 }) as any;
	const asked = [request(0.5, false), request(1.5, false), request(2.5, false), request(4.5, true), request(5.5, true), request(8, false)];
	const pairs = pairsOf([turn(false, 0), turn(true, 3), turn(true, 6, 'refused'), turn(false, 9)], (take) => asked.forEach(take));
	assert.deepEqual(pairs, [{ off: { failed: 2, requests: 2, good_rps: 0 }, on: { failed: 0, requests: 2, good_rps: 1 } }]);
});

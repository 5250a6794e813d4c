import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutBound, healthPathOf, startBound } from './start-bound.ts';

const checked: (more?: object) => object = (more = {}) => ({
	healthcheck: { test: ['CMD', 'true'], interval: '10s', timeout: '5s', retries: 10, ...more },
});
const limitOf = (services: Record<string, object>) => startBound({ services }).limitMs / 1000;

test('a stack has five minutes at least, whatever its file says', () => {
	assert.equal(limitOf({ web: {} }), 300);
	assert.deepEqual(startBound({ services: { web: checked() } }), { limitMs: 300_000, why: '', isCut: false });
	assert.equal(limitOf({ web: checked({ start_period: '10m', disable: true }) }), 300);
});

test('a health check has its start period, and all of its tries', () => {
	assert.equal(limitOf({ web: checked({ start_period: '5m' }) }), 300 + 150);
	assert.equal(limitOf({ web: { healthcheck: { test: ['CMD', 'true'], start_period: '4m30s', retries: 5 } } }), 270 + 5 * 60);
	assert.equal(startBound({ services: { web: checked({ start_period: '5m' }) } }).why, 'as its health checks say');
});

test('who waits for another begins when that is over, along the longest way', () => {
	const services = {
		db: checked({ start_period: '2m' }),
		migrate: { depends_on: { db: { condition: 'service_healthy' } } },
		web: { ...checked(), depends_on: { migrate: { condition: 'service_completed_successfully' }, db: { condition: 'service_started' } } },
	};
	assert.equal(limitOf(services), 120 + 150 + 300 + 150);
	const circle = {
		a: { ...checked(), depends_on: { b: { condition: 'service_healthy' } } },
		b: { depends_on: { a: { condition: 'service_healthy' } } },
	};
	assert.equal(limitOf(circle), 300);
});

test('half an hour is the most, and that is said', () => {
	const bound = startBound({ services: { web: checked({ start_period: '2h' }) } });
	assert.deepEqual(bound, { limitMs: 1_800_000, why: 'which is the most', isCut: true });
	assert.match(aboutBound(bound).join(), /30 min until all of it is well/);
	assert.deepEqual(aboutBound(startBound({ services: {} })), []);
});

test('the page that a health check asks is found in it, where it is one of the entry’s port', () => {
	const asked = (check: string | string[], port = 3000) => healthPathOf({ healthcheck: { test: check } }, port);
	assert.equal(asked(['CMD', 'curl', '-f', 'http://localhost:3000/healthz']), '/healthz');
	assert.equal(asked('wget -qO- "http://127.0.0.1:3000/up?full=1" || exit 1'), '/up?full=1');
	assert.equal(asked(['CMD-SHELL', 'curl http://localhost/health'], 80), '/health');
	assert.equal(asked(['CMD', 'curl', 'http://localhost:9000/healthz']), '');
	assert.equal(asked(['CMD', 'pg_isready']), '');
	assert.equal(healthPathOf({}, 80), '');
	assert.equal(healthPathOf({ healthcheck: { disable: true, test: ['CMD', 'curl', 'http://localhost/x'] } }, 80), '');
});

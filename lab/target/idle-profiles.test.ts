import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyAdapter } from '../adapters/registry.ts';
import { serviceModels } from './compose-model.ts';
import { detectTiers } from './detect.ts';
import { idleProfiles, withAllProfiles } from './idle-profiles.ts';
import { withNamedFiles } from './machine-addresses.ts';

const NO_DISK = { read: () => null, list: () => [] };
const entryOf = (config: any) => detectTiers(withNamedFiles(serviceModels(config), config, NO_DISK), everyAdapter).entry?.url ?? null;

const service = (image: string, port: number, profiles?: string[]) => ({
	image,
	ports: [{ target: port, published: `${port}` }],
	...(profiles ? { profiles } : {}),
});
const WHOLE = {
	name: 'run',
	services: {
		mail: service('mailcatcher', 1080),
		web: { ...service('example/shop', 3000, ['app']), depends_on: { mail: {} } },
		worker: { image: 'example/shop', command: ['bundle', 'exec', 'sidekiq'], profiles: ['app', 'jobs'] },
		seen: service('grafana/grafana', 3001, ['watch']),
	},
};
const only = (names: string[]) => ({
	...WHOLE,
	services: Object.fromEntries(Object.entries(WHOLE.services).filter(([name]) => names.includes(name))),
});

test('services whose profile is not active are named with it, and first the profile with which requests enter elsewhere', () => {
	const config = only(['mail']);
	assert.equal(entryOf(config), 'http://mail:1080/');
	assert.deepEqual(idleProfiles(config, WHOLE, entryOf), [
		'Not in the system, since their Compose profiles are not active: app (web, worker); jobs (worker); watch (seen). With app requests would enter at http://web:3000/. To take app: COMPOSE_PROFILES=app doubletake init, and the same before "doubletake run".',
	]);
	// Whatever their order in the file.
	const { web, ...others } = WHOLE.services;
	assert.match(idleProfiles(config, { ...WHOLE, services: { ...others, web } }, entryOf)[0], /not active: app \(worker, web\); jobs/);
});

test('what is active already stays, and where nothing is left out nothing is said', () => {
	const config = only(['mail', 'web', 'worker']);
	assert.match(
		idleProfiles(config, WHOLE, entryOf)[0],
		/: watch \(seen\)\. To take watch: COMPOSE_PROFILES=app,jobs,watch doubletake init/,
	);
	assert.deepEqual(idleProfiles(WHOLE, WHOLE, entryOf), []);
	assert.deepEqual(idleProfiles(config, null, entryOf), []);
});

test('of many profiles the first are named, and what is no name of one is not written into a command', () => {
	const named = ['$(id)', ...Array.from({ length: 9 }, (_, index) => `p${index}`)];
	const services = Object.fromEntries(named.map((profile, index) => [`s${index}`, service('example/tool', 9000 + index, [profile])]));
	const [text] = idleProfiles(only(['mail']), { ...WHOLE, services: { mail: WHOLE.services.mail, ...services } }, () => null);
	assert.match(text, /: p0 \(s1\); p1 \(s2\); p2 \(s3\); p3 \(s4\), and 5 more\. To take p0/);
	assert.doesNotMatch(text, /\$\(id\)/);
});

test('Compose is not asked where no file speaks of profiles', async () => {
	const system = { cwd: '/nowhere', flags: [], project: 'x' } as any;
	assert.equal(await withAllProfiles(system, ['/p/compose.yaml'], () => 'services: { web: { image: nginx } }'), null);
});

import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import type { ImageView, Knob } from './knobs.ts';
import { knobsOf, NO_IMAGE } from './knobs.ts';
import type { ReadVariable } from './read-variables.ts';

const knobs: (
	found: any,
	about?: { product?: string; files?: Record<string, string>; image?: Partial<ImageView>; variables?: ReadVariable[] },
) => Knob[] = (found, { product = 'opaque', files = {}, image = {}, variables = [] } = {}) =>
	knobsOf('api', found, {
		product,
		image: { ...NO_IMAGE, ...image },
		read: (path) => files[path] ?? null,
		variables: () => variables,
		list: (path) => Object.keys(files).flatMap((file) => (dirname(file) === path ? [basename(file)] : [])),
	});
const words = (found: any) => knobs(found).map(({ name, from, to }) => `${name} ${from} ${to}`);

test('Numbers of the environment that say how many are raised, and what is no number of things is left', () => {
	const environment = {
		DB_POOL: '5',
		WEB_CONCURRENCY: '2',
		PORT: '3000',
		DB_PORT: '5432',
		POOL_MODE: 'session',
		SEED: '7',
		MAX_RETRIES: '3',
		QUEUE_MS: '1000',
		NODE_ENV: 'x',
	};
	assert.deepEqual(words({ environment }), ['DB_POOL 5 40', 'WEB_CONCURRENCY 2 16']);
	const [pool] = knobs({ environment });
	assert.deepEqual([pool.changes, pool.line], [{ environment: { DB_POOL: '40' } }, 'services.api.environment.DB_POOL']);
});

test('How long an idle connection is kept is raised beyond what proxies keep theirs', () => {
	assert.deepEqual(words({ environment: { KEEP_ALIVE_TIMEOUT: '1000' } }), ['KEEP_ALIVE_TIMEOUT 1000 120000']);
});

test('A switch is turned, after all else', () => {
	const found = knobs({ environment: { SESSION_READ_AND_CLOSE: '0', PYTHONDONTWRITEBYTECODE: '1', POOL: '4' } });
	assert.deepEqual(
		found.map(({ name, to, kind }) => [name, to, kind]),
		[
			['POOL', '32', 'setting'],
			['SESSION_READ_AND_CLOSE', '1', 'switch'],
		],
	);
});

test('Flags of a command are raised in their place: as two words, as one, in a text for a shell', () => {
	const gunicorn = ['gunicorn', '-w', '2', '-b', '0.0.0.0:8000', '--threads=8', 'app:app'];
	assert.deepEqual(
		knobs({ command: gunicorn }).map(({ changes }) => changes.command),
		[gunicorn.with(2, '16'), gunicorn.with(5, '--threads=64')],
	);
	assert.deepEqual(words({ command: ['redis-server', '--save', '', '--maxclients', '60', '--port', '6379'] }), ['--maxclients 60 480']);
	assert.deepEqual(
		knobs({ command: ['sh', '-c', 'sleep 1; exec uvicorn main:app --port 80 --workers 2'] }).map(({ changes }) => changes.command[2]),
		['sleep 1; exec uvicorn main:app --port 80 --workers 16'],
	);
	assert.deepEqual(words({ command: ['worker', '-w', '2'] }), []);
	assert.deepEqual(words({ command: ['postgres', '-c', 'max_connections=20'] }), ['max_connections 20 160']);
});

test('A limit that a product has by itself is told to its command, unless that is another program', () => {
	const [mysql] = knobs({ image: 'docker.io/library/mariadb:11', command: null });
	assert.deepEqual(mysql.changes, { command: ['--max-connections=1208'] });
	const [postgres] = knobs({ image: 'registry.example/pg:17' }, { product: 'postgres' });
	assert.deepEqual(postgres.changes, { command: ['postgres', '-c', 'max_connections=800'] });
	assert.deepEqual(knobs({ image: 'prometheuscommunity/postgres-exporter:v0.15' }), []);
	assert.deepEqual(words({ image: 'mysql:8', command: ['sh', '-c', 'run-it'] }), []);
	assert.deepEqual(words({ image: 'mysql:8', entrypoint: ['/own'] }), []);
});

test('A setting in a mounted file is raised in a copy of that file alone', () => {
	const text = 'events {\n  worker_connections 512;\n}\n';
	const [knob] = knobs(
		{
			volumes: [
				{ type: 'bind', source: '/shop/nginx.conf', target: '/etc/nginx/nginx.conf' },
				{ type: 'volume', source: 'data', target: '/data' },
			],
		},
		{ files: { '/shop/nginx.conf': text } },
	);
	assert.equal(knob.line, 'nginx.conf, line 2: worker_connections');
	assert.deepEqual(knob.file, {
		...{ source: '/shop/nginx.conf', target: '/etc/nginx/nginx.conf', was: text },
		text: text.replace('512', '4096'),
	});
	const php = 'pm = dynamic\npm.max_children = 5\n';
	const [children] = knobs({ volumes: [{ type: 'bind', source: '/a', target: '/b' }] }, { files: { '/a': php } });
	assert.equal(children.file?.text, 'pm = dynamic\npm.max_children = 40\n');
});

test('Limits of the Compose file are lifted, each by itself', () => {
	const found = {
		mem_limit: '67108864',
		pids_limit: 50,
		ulimits: { nofile: { soft: 64, hard: 128 } },
		sysctls: { 'net.ipv4.ip_local_port_range': '32768 38767' },
		tmpfs: ['/var/lib/nginx:size=16m,mode=700', '/run'],
		shm_size: '8388608',
	};
	assert.deepEqual(words(found).slice(1), [
		'pids 50 400',
		'nofile 64 512',
		'local ports 32768 38767 1024 65535',
		'tmpfs /var/lib/nginx 16 MiB 128 MiB',
		'shm_size 8 MiB 64 MiB',
	]);
	const changes = knobs(found).map((knob) => knob.changes);
	assert.equal(Number(changes[0].mem_limit), 4 * 67_108_864);
	assert.deepEqual(changes[4].tmpfs, ['/var/lib/nginx:size=134217728,mode=700', '/run']);
	assert.deepEqual(
		knobs({ deploy: { resources: { limits: { memory: '67108864', cpus: '0.1' } } } }).map(({ changes: { deploy } }) =>
			Object.keys(deploy.resources.limits),
		),
		[['memory'], ['cpus']],
	);
	assert.deepEqual(words({}), []);
});

test('What an image starts and sets is raised where the Compose file says nothing of it', () => {
	const image = { environment: { POOL_SIZE: '5', PATH: '/bin' }, entrypoint: ['tini', '--'], command: ['gunicorn', '-w', '2', 'app:app'] };
	const [pool, workers] = knobs({}, { image });
	assert.deepEqual([pool.line, pool.changes], ['the image of api: ENV POOL_SIZE', { environment: { POOL_SIZE: '40' } }]);
	assert.deepEqual([workers.line, workers.changes], ['the image of api: CMD: -w', { command: ['gunicorn', '-w', '16', 'app:app'] }]);
	assert.deepEqual(
		knobs({ environment: { POOL_SIZE: '9' }, command: ['flask', 'run'] }, { image }).map(({ name, from }) => `${name} ${from}`),
		['POOL_SIZE 9'],
	);
	// An entrypoint of the file's takes the command of the image away.
	const [within] = knobs({}, { image: { entrypoint: ['server', '--max-clients', '50'], command: ['serve'] } });
	assert.deepEqual(within.changes, { entrypoint: ['server', '--max-clients', '400'], command: ['serve'] });
});

test('A number within a text is raised in its place: a heap, and a pool in an address', () => {
	const environment = { JAVA_OPTS: '-Xms64m -Xmx256m -server', DATABASE_URL: 'postgres://db/shop?connection_limit=3&x=1' };
	const found = knobs({ environment });
	assert.deepEqual(
		found.map(({ name, from, to }) => [name, from, to]),
		[
			['Xmx in JAVA_OPTS', '256', '1024'],
			['connection_limit in DATABASE_URL', '3', '24'],
		],
	);
	assert.equal(found[0].changes.environment.JAVA_OPTS, '-Xms64m -Xmx1024m -server');
	assert.deepEqual(knobs({ command: ['java', '-Xmx1g', '-jar', 'app.jar'] })[0].changes, {
		command: ['java', '-Xmx4g', '-jar', 'app.jar'],
	});
	// A heap has no use of what its container may not have.
	const [heap] = knobs({ environment: { NODE_OPTIONS: '--max-old-space-size=64' }, mem_limit: '100m' });
	assert.equal(heap.changes.environment.NODE_OPTIONS, '--max-old-space-size=256');
	assert.equal(Number(heap.changes.mem_limit), 4 * 100 * 2 ** 20);
});

test('Files of settings are read in a folder that is mounted, and in the image where nothing lies over them', () => {
	const volumes = [{ type: 'bind', source: '/here/conf', target: '/etc/app' }];
	const files = {
		'/here/conf/app.yml': 'port: 80\ndatabase:\n  pool-size: 10  # few\n',
		'/here/conf/main.js': 'pool_size = 3\n',
	};
	const [pool, ...rest] = knobs({ volumes }, { files });
	assert.deepEqual([rest, pool.line], [[], 'app.yml, line 3: pool-size']);
	assert.deepEqual(pool.file, {
		source: '/here/conf/app.yml',
		target: '/etc/app/app.yml',
		was: files['/here/conf/app.yml'],
		text: files['/here/conf/app.yml'].replace('10', '80'),
	});
	const image = { files: { '/etc/php/8.2/fpm/pool.d/www.conf': 'pm = static\npm.max_children = 5\n' } };
	const [children] = knobs({}, { image });
	assert.deepEqual(
		[children.line, children.file?.target],
		['/etc/php/8.2/fpm/pool.d/www.conf in the image of api, line 2: pm.max_children', '/etc/php/8.2/fpm/pool.d/www.conf'],
	);
	assert.deepEqual(knobs({ volumes: [{ type: 'volume', source: 'x', target: '/etc/php' }] }, { image }), []);
});

test('A program that nobody gave more has what it has by itself', () => {
	const [java] = knobs({}, { image: { command: ['java', '-cp', '/app', 'App'] } });
	assert.deepEqual([java.from, java.changes], ['25', { environment: { JAVA_TOOL_OPTIONS: '-XX:MaxRAMPercentage=75' } }]);
	assert.deepEqual(words({ command: ['java', '-Xmx100m', 'App'] }), ['Xmx 100 400']);
	assert.deepEqual(words({ command: ['java', 'App'], environment: { JAVA_TOOL_OPTIONS: '-javaagent:a.jar' } }), []);
	assert.deepEqual(knobs({ command: ['uvicorn', 'main:app'] })[0].changes, { command: ['uvicorn', 'main:app', '--workers', '8'] });
	assert.deepEqual(words({ command: ['uvicorn', 'main:app'], environment: { WEB_CONCURRENCY: 'x' } }), []);
});

test('What the source asks for and nobody set is given', () => {
	const variables = [
		{ name: 'POOL_SIZE', standard: '5', at: 'main.py, line 7' },
		{ name: 'MAX_IDLE_CONNS', standard: null, at: 'main.go, line 9' },
		{ name: 'WORKERS', standard: '2', at: 'main.py, line 8' },
		{ name: 'DATABASE_URL', standard: null, at: 'main.py, line 9' },
		{ name: 'PARALLEL', standard: null, turns: 'false', at: 'main.py, line 10' },
	];
	const found = knobs({ environment: { WORKERS: '3' } }, { variables });
	assert.deepEqual(
		found.map(({ name, from, to, isUnset }) => [name, from, to, isUnset ?? false]),
		[
			['WORKERS', '3', '24', false],
			['POOL_SIZE', '5', '40', true],
			['MAX_IDLE_CONNS', 'its own number', '64', true],
			['PARALLEL', 'unset', 'false', true],
		],
	);
	assert.equal(found[1].line, 'services.api.environment.POOL_SIZE (not set; read in main.py, line 7)');
});

test('What no file of a server says is said in one of them, where it may stand, and once', () => {
	const files = { '/s/conf.d/a.conf': 'server {\n listen 80;\n}\n', '/s/nginx.conf': 'events {}\nhttp {\n client_max_body_size 8m;\n}\n' };
	const volumes = [
		{ type: 'bind', source: '/s/conf.d/a.conf', target: '/etc/nginx/conf.d/a.conf' },
		{ type: 'bind', source: '/s/nginx.conf', target: '/etc/nginx/nginx.conf' },
	];
	const found = knobs({ image: 'nginx:1.27', volumes }, { files });
	assert.deepEqual(
		found.map(({ name, from, to }) => [name, from, to]),
		[
			['large_client_header_buffers', '4 8k', '4 64k'],
			['proxy_read_timeout', '60s', '600s'],
			['proxy_buffer_size', '4k', '64k'],
			['worker_connections', '512', '8192'],
		],
	);
	assert.equal(found[0].file?.text, 'events {}\nhttp { large_client_header_buffers 4 64k;\n client_max_body_size 8m;\n}\n');
	assert.equal(found[0].line, 'nginx.conf, http: large_client_header_buffers (not set)');
	assert.deepEqual(knobs({ image: 'traffic:1', volumes }, { files }), []);
});

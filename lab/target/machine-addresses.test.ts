import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceModels } from './compose-model.ts';
import type { Disk, Mention } from './machine-addresses.ts';
import { machineAddresses, placesOnMachine, withNamedFiles } from './machine-addresses.ts';

test('a port of the machine is the service that is published there', () => {
	const places = placesOnMachine([
		{ service: 'nginx', openAt: { 8080: 80 }, networkMode: '' },
		{ service: 'web', openAt: {}, networkMode: '' },
		{ service: 'agent', openAt: { 9000: 9000 }, networkMode: 'host' },
	]);
	assert.deepEqual(places, { 8080: 'nginx:80' });
	const script =
		"const base = __ENV.BASE || 'http://localhost:8080'; http.get(`http://127.0.0.1:9000/items`); http.get('http://localhost.test/');";
	assert.deepEqual(machineAddresses(script, places), [
		{ address: 'localhost:8080', place: 'nginx:80' },
		{ address: '127.0.0.1:9000', place: null },
	]);
});

/** @param files by their whole paths */
const diskOf = (files: Record<string, string>): Disk => ({
	read: (path) => files[path] ?? null,
	list: (folder) => {
		const below = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
		const names = [...new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0]))];
		return names.map((name) => ({ name, isFolder: !(`${folder}/${name}` in files) }));
	},
});

function mentionsIn(config: any, files: Record<string, string>): Record<string, string[]> {
	const models = withNamedFiles(serviceModels({ name: 'run', ...config }), config, diskOf(files));
	const said = ({ host, reason, isCode }: Mention) => `${host}, ${reason}${isCode ? ', code' : ''}`;
	return Object.fromEntries(models.map(({ service, mentions }) => [service, [...new Set(mentions.map(said))]]));
}

const bind: (source: string, target: string) => object = (source, target) => ({ type: 'bind', source, target });

const OTHERS = { web: { image: 'acme/web' }, db: { image: 'postgres:16' } };

test('who has the folder of a socket serves there; of several the one that is waited for', () => {
	const at = (target: string) => ({ image: 'x', volumes: [{ type: 'volume', source: 'run', target }] });
	const depends_on = { Web: {} };
	const asked: (content: string, others: object, more?: object) => string[] = (content, others, more = { depends_on }) =>
		mentionsIn(
			{ configs: { lb: { content } }, services: { lb: { ...at('/run/app'), configs: [{ source: 'lb' }], ...more }, ...others } },
			{},
		).lb;
	const text = 'server unix:///run/app/web.sock fail_timeout=0;';
	const [Web, worker] = [at('/tmp'), at('/tmp')];
	assert.deepEqual(asked(text, { Web }), ['web, named in the config lb']);
	assert.deepEqual(asked(text, { Web, worker }), ['web, named in the config lb']);
	assert.deepEqual(asked(text, { Web, worker }, {}), []);
	assert.deepEqual(asked('server unix:/run/other.sock;', { Web }), []);
});

test('a configuration is a mounted file or folder, one of Compose’s, or copied into the image', () => {
	const services = {
		one: { image: 'x', volumes: [bind('/p/edge/site.conf', '/etc/nginx/conf.d/default.conf')] },
		two: { image: 'x', volumes: [bind('/p/edge', '/usr/local/etc/haproxy')] },
		three: { image: 'x', configs: [{ source: 'lb', target: '/lb.conf' }, { source: 'inline' }] },
		four: { build: { context: '/p/four' } },
		...OTHERS,
	};
	const configs = { lb: { file: '/p/edge/site.conf' }, inline: { content: 'upstream: db:5432' } };
	const said = mentionsIn(
		{ services, configs },
		{
			'/p/edge/site.conf': 'proxy_pass http://web:80;',
			'/p/four/Dockerfile': 'FROM nginx\nCOPY --from=build /x /etc/x\nCOPY --chown=1 conf/*.conf \\\n  /etc/nginx/conf.d/\n',
			'/p/four/conf/a.conf': 'proxy_pass http://web:80;',
			'/p/four/conf/a.txt': 'proxy_pass http://db:80;',
		},
	);
	assert.deepEqual(said.one, ['web, named in site.conf']);
	assert.deepEqual(said.two, ['web, named in site.conf']);
	assert.deepEqual(said.three, ['web, named in site.conf', 'db, named in the config inline']);
	assert.ok(said.four.includes('web, named in a.conf') && !said.four.includes('db, named in a.txt'));
});

test('an address of a store that is given as a secret is one, and nothing but the store’s name is kept of it', () => {
	const services = { web: { image: 'x', secrets: [{ source: 'url' }] }, db: { image: 'postgres:16' } };
	const config = { services, secrets: { url: { file: '/p/url.txt' } } };
	const files = { '/p/url.txt': 'postgres://keeper:hunter2@db:5432/shop' };
	assert.deepEqual(mentionsIn(config, files).web, ['db, named in the secret url']);
	assert.doesNotMatch(JSON.stringify(withNamedFiles(serviceModels({ name: 'run', ...config }), config, diskOf(files))), /hunter2|keeper/);
});

test('code is what a service is built from and what is mounted over it, without Compose files, locks, tests and others’ folders', () => {
	const services = {
		api: { build: { context: '/p' }, volumes: [bind('/p/src', '/app')] },
		web: { build: { context: '/p/web' } },
		db: { image: 'x' },
	};
	const said = mentionsIn(
		{ services },
		{
			'/p/compose.yaml': 'url: http://db',
			'/p/app.py': 'Store(host="web")',
			'/p/package-lock.json': '"http://db"',
			'/p/test/app.py': 'Store(host="db")',
			'/p/web/server.js': "get('http://api:80'); connect('db')",
		},
	);
	assert.deepEqual(said, {
		api: ['web, named in app.py, code'],
		web: ['api, named in server.js, code', 'db, named in server.js, code'],
		db: [],
	});
});

test('of a folder that two programs are built from nobody knows whose code it is', () => {
	const build = (dockerfile: string) => ({ build: { context: '/p', dockerfile } });
	const said = mentionsIn({ services: { one: build('One'), two: build('Two'), db: { image: 'x' } } }, { '/p/app.py': 'Store(host="db")' });
	assert.deepEqual([said.one, said.two], [[], []]);
});

test('nothing but names of services is kept, and nothing of the machine’s folders is read', () => {
	const services = {
		one: { image: 'x', volumes: [bind('/etc/nginx', '/etc/nginx'), bind('/p/a.conf', '/etc/a.conf')] },
		two: { build: { context: '/p' } },
		...OTHERS,
	};
	const files = {
		'/etc/nginx/a.conf': 'proxy_pass http://web;',
		'/p/a.conf': 'host: bank.example.com',
		'/p/Dockerfile': 'FROM nginx\nCOPY ../etc/nginx/a.conf /etc/nginx/\n',
	};
	const { one, two } = mentionsIn({ services }, files);
	assert.deepEqual([one, two], [[], []]);
});

test('of a folder with all programs in it a service has the part that it is built from, or works in', () => {
	const all = bind('/p', '/repo');
	const services = {
		web: { build: { context: '/p/apps/web' }, volumes: [all] },
		api: { image: 'node:24', working_dir: '/repo/apps/api', volumes: [all] },
		...{ db: { image: 'x' }, cache: { image: 'y' }, job: { build: { context: '/p/apps/job' } } },
	};
	const said = mentionsIn(
		{ services },
		{ '/p/.env': 'DB_HOST=db', '/p/apps/web/a.js': "fetch('http://api:80')", '/p/apps/api/b.js': "Store({ host: 'cache' })" },
	);
	assert.deepEqual([said.web, said.api], [['api, named in a.js, code'], ['cache, named in b.js, code']]);
	const alone = { php: { build: { context: '/p/docker' }, volumes: [bind('/p', '/srv')] }, db: { image: 'x' } };
	assert.deepEqual(mentionsIn({ services: alone }, { '/p/.env': 'DB_HOST=db' }).php, ['db, named in .env, code']);
});

test('a configuration is whole when it says where it listens', () => {
	const wholeWith = (text: string) => {
		const config = { services: { lb: { image: 'x', volumes: [bind('/p/a.conf', '/etc/a.conf')] } } };
		const [model] = withNamedFiles(serviceModels({ name: 'run', ...config }), config, diskOf({ '/p/a.conf': text }));
		return model.hasConfiguration;
	};
	assert.equal(wholeWith('server { listen 80; root /srv; }'), true);
	assert.equal(wholeWith('worker_processes 4; include conf.d/*.conf;'), false);
	assert.equal(wholeWith('-----BEGIN CERTIFICATE-----\nlisten'), false);
});

test('a configuration may be written by the command, and ask at a port of the machine or through a socket of a shared folder', () => {
	const socket = { type: 'volume', source: 'sock', target: '/sock' };
	const services = {
		one: { image: 'x', entrypoint: ['sh', '-c', 'cat <<E > /x.conf\nproxy_pass http://web:80\\$uri;\nE\nexec nginx'] },
		two: { image: 'x', volumes: [bind('/p/two.conf', '/etc/two.conf')] },
		three: { image: 'x', volumes: [bind('/p/three.conf', '/etc/three.conf'), socket] },
		web: { image: 'acme/web', ports: [{ target: 80, published: '8088', protocol: 'tcp' }] },
		fpm: { image: 'acme/fpm', volumes: [socket] },
	};
	const files = {
		'/p/two.conf': 'server host.docker.internal:8088;',
		'/p/three.conf': '# fastcgi_pass unix:/old/x.sock;\nfastcgi_pass unix:/sock/php.sock;',
	};
	const said = mentionsIn({ services }, files);
	assert.deepEqual(
		[said.one, said.two, said.three],
		[['web, named in its command'], ['web, named in two.conf'], ['fpm, named in three.conf']],
	);
});

test('the configuration of another that lies among the code of a service is no code of it', () => {
	const services = {
		lb: { image: 'nginx', volumes: [bind('/p/nginx.conf', '/etc/nginx/conf.d/default.conf')] },
		web: { build: { context: '/p' } },
		db: { image: 'postgres:16' },
	};
	const said = mentionsIn(
		{ services },
		{ '/p/Dockerfile': 'FROM ruby', '/p/nginx.conf': 'proxy_pass http://lb:3000; proxy_pass http://web:80;' },
	);
	assert.deepEqual([said.lb, said.web], [['lb, named in nginx.conf', 'web, named in nginx.conf'], []]);
});

test('ports of TLS are read with their variables, and of an image that starts what it is built from where files are copied to', () => {
	const dockerfile = 'FROM mirror/edge\nCOPY edge.conf /etc/edge/\n';
	const edge = { environment: { PORT: '8443' }, configs: [{ source: 'site', target: '/etc/x.conf' }], build: { context: '/p' } };
	const config = {
		configs: { site: { content: 'server { listen $PORT ssl; }' } },
		services: { edge, other: { ...edge, command: ['./serve'] } },
	};
	const models = withNamedFiles(
		serviceModels({ name: 'run', ...config }),
		config,
		diskOf({ '/p/Dockerfile': dockerfile, '/p/edge.conf': 'x' }),
	);
	assert.deepEqual(
		models.map(({ tlsPorts, files }) => [tlsPorts, files]),
		[
			[[8443], ['/etc/x.conf', '/etc/edge/edge.conf']],
			[[8443], ['/etc/x.conf']],
		],
	);
});

test('of a folder that is mounted a link counts where its container finds something there', () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-links-'));
	try {
		mkdirSync(join(folder, 'conf/parts'), { recursive: true });
		writeFileSync(join(folder, 'outside.conf'), 'proxy_pass http://db:5432;\n');
		writeFileSync(join(folder, 'conf/parts/own'), 'proxy_pass http://web:80;\n');
		symlinkSync('../outside.conf', join(folder, 'conf/a.conf'));
		symlinkSync('parts/own', join(folder, 'conf/b.conf'));
		const config = { services: { edge: { image: 'nginx', volumes: [bind(join(folder, 'conf'), '/etc/nginx/conf.d')] }, ...OTHERS } };
		const [{ mentions }] = withNamedFiles(serviceModels({ name: 'run', ...config }), config);
		assert.deepEqual([...new Set(mentions.map(({ host }) => host))], ['web']);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

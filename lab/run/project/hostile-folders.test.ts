/**
 * Folders that others wrote, each of which tries to reach what is not its own: what is on the way of requests is refused by its name, and what is not
 * is left out of the run by its name. Of what the copy has in its own way, nothing of the machine's is left.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { REPORTS } from '../../base/paths.ts';
import { placeholderFor } from '../../catalog/project-schema.ts';
import { NOTHING } from '../../options/allowed.ts';
import { readSettings } from '../../options/settings.ts';
import { lookWith } from '../../target/dockerfile.ts';
import { checkConfig, copyFor } from './checked-system.ts';
import { init } from './init-command.ts';

let folder = '';
let engine: Server;
const read = () => null;
const NAME = 'doubletake-run-1a2b';

before(async () => {
	folder = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-hostile-')));
	for (const name of [
		'shop/sub',
		'shop/data',
		'shop/deploy',
		'shop/live/part',
		'home/.ssh',
		'elsewhere',
		'plain',
		'pipes',
		'shop/piped',
		'calls',
	])
		mkdirSync(join(folder, name), { recursive: true });
	writeFileSync(join(folder, 'shop/open.json'), '{"defaultAction": "SCMP_ACT_ALLOW"}');
	writeFileSync(join(folder, 'shop/deploy/open.json'), '{"defaultAction": "SCMP_ACT_ERRNO"}');
	writeFileSync(join(folder, 'shop/live/file'), '');
	writeFileSync(join(folder, 'shop/deploy/own.json'), '{"defaultAction": "SCMP_ACT_ALLOW"}');
	writeFileSync(join(folder, 'shop/own.json'), '{"defaultAction": "SCMP_ACT_ERRNO"}');
	writeFileSync(join(folder, 'shop/odd.json'), '{"defaultAction": "SCMP_ACT_ERRNO", "DefaultAction": "SCMP_ACT_ALLOW"}');
	writeFileSync(join(folder, 'shop/shut.json'), '{"defaultAction": "SCMP_ACT_ERRNO"}');
	const links = {
		mysock: '/var/run/docker.sock',
		odd: join(folder, 'elsewhere/engine'),
		run: '/run',
		slash: '/',
		docker: '/var/lib/docker',
		containerd: '/run/containerd',
		first: 'second',
		second: './sub/../third',
		third: '/root',
		later: '/run/docker/not-there-yet',
		circle: 'circle',
		shadow: '/etc/shadow',
		Dockerfile: '/etc/shadow',
		'sub/Dockerfile': '../plain.txt',
		'deploy/.dockerignore': '/etc/shadow',
		key: '../home/.ssh',
		disk: '/dev/ptmx',
		fine: '../elsewhere',
		'x:': '/',
		'https:': '/root',
		layout: '../home/.ssh',
	};
	for (const [name, to] of Object.entries(links)) symlinkSync(to, join(folder, 'shop', name));
	writeFileSync(join(folder, 'shop/data/Dockerfile'), 'FROM x\n'.padEnd(1_010_000, '#'));
	symlinkSync('/', join(folder, 'shop/sub/up'));
	execFileSync('mkfifo', [join(folder, 'pipes/pipe'), join(folder, 'shop/piped/pipe')]);
	engine = createServer().listen(join(folder, 'elsewhere/engine'));
	await new Promise((done) => engine.once('listening', () => done(null)));
});
after(() => {
	engine.close();
	rmSync(folder, { recursive: true, force: true });
});

/** @param name of the folder */
const own = (name: string) => join(folder, 'shop', name);
const bind: (source: string, more?: object) => any = (source, more = {}) => ({
	volumes: [{ type: 'bind', source, target: '/x', ...more }],
});
const READ = { read_only: true };
const volume: (driver_opts: object, more?: object) => Hostile = (driver_opts, more = {}) => [
	{ volumes: [{ type: 'volume', source: 'v', target: '/x', ...more }] },
	{ volumes: { v: { name: `${NAME}_v`, driver_opts } } },
];

/** parts: of the file beside its services */
type Hostile = [service: any, parts?: any];

/** Refused, with what it is called by. */
const REFUSED: Record<string, { of: () => Hostile; named: RegExp }> = {
	'a link to the engine’s socket, read-only': {
		of: () => [bind(own('mysock'), READ)],
		named: /mounts .*\/shop\/mysock of this machine, which leads to \/run\/docker\.sock/,
	},
	'a link to an engine’s socket of another name': {
		of: () => [bind(own('odd'), READ)],
		named: /\/shop\/odd of this machine, which leads to .*\/elsewhere\/engine/,
	},
	'a folder in which an engine’s socket lies': { of: () => [bind(join(folder, 'elsewhere'), READ)], named: /\/elsewhere/ },
	'a pipe of another program': { of: () => [bind(join(folder, 'pipes/pipe'))], named: /mounts .*\/pipes\/pipe, a pipe/ },
	'a pipe within the folder': { of: () => [bind(own('piped/pipe'), READ)], named: /mounts .*\/shop\/piped\/pipe, a pipe/ },
	'a pipe that is a config': {
		of: () => [{ configs: [{ source: 'c', target: '/c' }] }, { configs: { c: { file: own('piped/pipe') } } }],
		named: /is given .*\/shop\/piped\/pipe, a pipe/,
	},
	'a folder with a pipe that is a secret': {
		of: () => [{ secrets: [{ source: 's' }] }, { secrets: { s: { file: own('piped') } } }],
		named: /in which the pipe .*\/shop\/piped\/pipe lies/,
	},
	'a folder in which a pipe lies': {
		of: () => [bind(own('piped'), READ)],
		named: /mounts .*\/shop\/piped, in which the pipe .*\/shop\/piped\/pipe lies/,
	},
	'the folder of sockets with a slash at its end': { of: () => [bind('/run/', READ)], named: /can read \/run\/ of this machine/ },
	'a link to it': { of: () => [bind(own('run'), READ)], named: /\/shop\/run of this machine .*which leads to \/run/ },
	'a link to all of the machine': { of: () => [bind(own('slash'), READ)], named: /which leads to \// },
	'a path through a link in a folder of the project': {
		of: () => [bind(own('sub/up/var/lib/docker/volumes'), READ)],
		named: /leads to \/var\/lib\/docker\/volumes/,
	},
	'a link to the data of all containers': { of: () => [bind(own('docker'))], named: /can write to .*\/docker of this machine/ },
	'a link to containerd’s folder': { of: () => [bind(own('containerd'), READ)], named: /leads to \/run\/containerd/ },
	'links one after another': { of: () => [bind(own('first'), READ)], named: /\/shop\/first of this machine .*leads to \/root/ },
	'a link to what is not there yet': { of: () => [bind(own('later'))], named: /leads to \/run\/docker\/not-there-yet/ },
	'a circle of links': { of: () => [bind(own('circle'))], named: /\/circle of this machine/ },
	'".." behind a link': { of: () => [bind(`${own('fine')}/../home/.ssh`, READ)], named: /\.\.\/home\/\.ssh/ },
	'keys of the user by a link': { of: () => [bind(own('key'), READ)], named: /\/shop\/key of this machine .*leads to .*\/home\/\.ssh/ },
	'all processes of the machine': { of: () => [bind('/proc', READ)], named: /can read \/proc of this machine/ },
	'another process’s root': { of: () => [bind('/proc/1/root', READ)], named: /\/proc\/1\/root/ },
	'a network that the run does not make': { of: () => [{ network_mode: 'shop_default' }], named: /is on the network shop_default/ },
	'a seccomp profile that allows by a field in other letters': {
		of: () => [{ security_opt: ['seccomp:odd.json'] }],
		named: /seccomp:odd\.json/,
	},
	'a capability in letters that the engine takes for others': {
		of: () => [{ cap_add: ['\u017fYS_ADMIN', 'sys_adm\u0131n'] }],
		named: /may do what only the machine itself may/,
	},
	'a volume that is all of the machine': {
		of: () => volume({ type: 'none', o: 'bind', device: '/' }),
		named: /can write to \/ of this machine \(by the volume v\)/,
	},
	'a volume by another type that binds': {
		of: () => volume({ type: 'tmpfs', o: 'rw,bind', device: '/etc' }),
		named: /\/etc of this machine \(by the volume v\)/,
	},
	'a volume whose device has no slash': {
		of: () => volume({ type: 'tmpfs', o: 'rbind', device: 'root' }),
		named: /\/root of this machine \(by the volume v\)/,
	},
	'a volume by a link, for reading': {
		of: () => volume({ type: 'none', o: 'bind', device: own('run') }, READ),
		named: /\(by the volume v\), which leads to \/run/,
	},
	'a config that is a file of passwords': {
		of: () => [{ configs: [{ source: 'c', target: '/c' }] }, { configs: { c: { file: own('shadow') } } }],
		named: /\/shadow of this machine \(by the config c\), which leads to \/etc\/shadow/,
	},
	'a secret that is a folder of keys': {
		of: () => [{ secrets: [{ source: 's' }] }, { secrets: { s: { file: own('key') } } }],
		named: /\(by the secret s\)/,
	},
	'a file of variables that is of keys': { of: () => [{ env_file: [{ path: `${own('key')}/id` }] }], named: /\(by its env_file\)/ },
	'a build of the home': {
		of: () => [{ build: { context: own('third') } }],
		named: /is built with .*\/third of this machine \(the folder\)/,
	},
	'a list of what a build leaves out that is a link': {
		of: () => [{ build: { context: own('deploy'), dockerfile_inline: 'FROM x' } }],
		named: /\.dockerignore of this machine \(what it leaves out\), which leads to \/etc\/shadow/,
	},
	'a Dockerfile that is a link': {
		of: () => [{ build: { context: own('') } }],
		named: /Dockerfile of this machine \(the Dockerfile\), which leads to \/etc\/shadow/,
	},
	'a Dockerfile by a link that a builder follows otherwise': {
		of: () => [{ build: { context: own('sub') } }],
		named: /is built by .*\/sub\/Dockerfile \(a link out of its folder/,
	},
	'a Dockerfile that is too long': {
		of: () => [{ build: { context: own('data') } }],
		named: /is built by .*\/data\/Dockerfile \(expected a regular file of at most 1 MB; found one of 1\.1 MB/,
	},
	'another context of a build': {
		of: () => [{ build: { context: own('sub'), dockerfile_inline: 'FROM x', additional_contexts: { root: '/' } } }],
		named: /is built with \/ of this machine/,
	},
	...Object.fromEntries(
		[
			{ additional_contexts: { h: 'x://' } },
			{ additional_contexts: { h: 'https://' } },
			{ additional_contexts: { h: 'oci-layout://layout:latest@sha256:1' } },
			{ cache_from: ['type=local,src=layout'] },
			{ cache_from: ['Type=local, SRC=/root'] },
			{ cache_from: ['type=local,"src=/root"'] },
			{ context: 'https://', dockerfile_inline: 'FROM x' },
			{ context: 'https://acme.example/x.git', dockerfile_inline: undefined, dockerfile: '/root/Dockerfile' },
			{ dockerfile_inline: undefined, dockerfile: '../../home/Dockerfile' },
			{ dockerfile_inline: 'FROM x\nADD http://127.0.0.1:2375/info /x' },
			{ dockerfile_inline: 'FROM x\nADD http://[::ffff:127.0.0.1%25lo]:2375/info /x' },
			{ dockerfile_inline: 'FROM x\nADD http://[::1%lo]/info /x' },
			{ dockerfile_inline: 'FROM x\nADD me@localhost:x/y.git /x' },
			{ dockerfile_inline: 'FROM acme/own\nADD h$$U /x' },
			{ dockerfile_inline: 'FROM x\nARG A=[::1]\nENV B=http://$A\nONBUILD ADD --chmod=1 ["a", "$B:8080/y", "/x"]' },
			{ dockerfile_inline: 'FROM x\nARG U\nADD \\\n $U /x', args: ['U=https://169.254.169.254/latest'] },
			{ additional_contexts: { h: 'http://localhost:8080/x.git' } },
			{ cache_from: ['type=s3,region=x,bucket=y,endpoint_url=https://acme.example'] },
		].map((build) => [
			`a build of ${JSON.stringify(build)}`,
			{
				of: () => [{ build: { context: own('sub'), dockerfile_inline: 'FROM x', ...build } }] as Hostile,
				named: /is built (with|from a cache)/,
			},
		]),
	),
	'a secret of a build': {
		of: () => [
			{ build: { context: own('sub'), dockerfile_inline: 'FROM x', secrets: [{ source: 's' }] } },
			{ secrets: { s: { file: own('key') } } },
		],
		named: /\(the secret s\)/,
	},
	'a build with powers': {
		of: () => [{ build: { context: own('sub'), dockerfile_inline: 'FROM x', privileged: true, entitlements: ['security.insecure'] } }],
		named: /is built with what a container may not/,
	},
	'all capabilities': { of: () => [{ cap_add: ['ALL'] }], named: /\(ALL\)/ },
	'the kernel’s own files, read-only': { of: () => [bind('/sys/kernel/debug', READ)], named: /can read \/sys\/kernel\/debug/ },
	'what the kernel keeps once for all': { of: () => [{ cap_add: ['SYSLOG', 'AUDIT_CONTROL'] }], named: /\(SYSLOG, AUDIT_CONTROL\)/ },
	'some of them': {
		of: () => [{ cap_add: ['sys_ptrace', 'CAP_DAC_READ_SEARCH', 'BPF'] }],
		named: /\(sys_ptrace, CAP_DAC_READ_SEARCH, BPF\)/,
	},
	'no seccomp': { of: () => [{ security_opt: ['seccomp:unconfined'] }], named: /seccomp:unconfined/ },
	'a seccomp profile that allows all': { of: () => [{ security_opt: ['seccomp=open.json'] }], named: /seccomp=open\.json/ },
	'groups of processes that it may write to': {
		of: () => [{ security_opt: ['writable-cgroups=T', 'disable'] }],
		named: /\(writable-cgroups=T, disable\)/,
	},
	'settings of the machine': {
		of: () => [{ sysctls: { 'kernel.core_pattern': '|/x', 'net.core.somaxconn': 1 } }],
		named: /has \(kernel\.core_pattern\)/,
	},
	'settings by another spelling': { of: () => [{ sysctls: ['kernel/core_pattern=x', 'net/../kernel/x=1'] }], named: /core_pattern, net/ },
	'a runtime that nobody knows': { of: () => [{ runtime: 'io.containerd.own.v1' }], named: /is started by io\.containerd\.own\.v1/ },
	'the log of the kernel': { of: () => [{ devices: [{ source: '/dev/kmsg', target: '/x' }] }], named: /uses \/dev\/kmsg/ },
	'the log of the kernel by a mount': { of: () => [bind('/dev/kmsg', READ)], named: /can read \/dev\/kmsg/ },
	'a device that makes others': { of: () => [{ devices: ['/dev/loop-control'] }], named: /uses \/dev\/loop-control/ },
	'a namespace by its path': { of: () => [{ pid: 'ns:/proc/1/ns/pid' }], named: /shares with this machine its processes/ },
	'the engine’s socket by another key': { of: () => [{ use_api_socket: true }], named: /use_api_socket/ },
	'a provider, for which Compose runs a program': { of: () => [{ provider: { type: 'own' } }], named: /is made by the provider own/ },
	'no AppArmor, no system paths, no label': {
		of: () => [{ security_opt: ['apparmor=unconfined', 'systempaths=unconfined', 'label:disable'] }],
		named: /apparmor=unconfined, systempaths=unconfined, label:disable/,
	},
	'a device by a link': { of: () => [{ devices: [{ source: own('disk'), target: '/dev/x' }] }], named: /uses .*\/disk of this machine/ },
	'rules of devices': { of: () => [{ device_cgroup_rules: ['b 8:* rwm'] }], named: /b 8:\* rwm/ },
	'a privileged command after the start': {
		of: () => [{ post_start: [{ command: ['x'], privileged: true }] }],
		named: /commands that are privileged/,
	},
};

const configWith: (hostile: Hostile) => any = ([service, parts = {}]) => ({
	name: NAME,
	networks: { default: { name: `${NAME}_default` } },
	...parts,
	services: {
		web: { image: 'acme/web', ports: [{ target: 80, published: '80', protocol: 'tcp' }], networks: { default: null } },
		other: { image: 'acme/other', networks: { default: null }, ...service },
	},
});
const look = () => lookWith({ volumesRoot: '/var/lib/docker/volumes', socket: join(folder, 'elsewhere/engine') });
const projectWith: (edges: [string, string][]) => any = (edges) => ({
	compose: ['compose.yaml'],
	entry: 'http://web:80/',
	services: { web: { tier: 'app', product: 'opaque', watch: 0 }, other: { tier: 'other', product: 'opaque', watch: 0 } },
	edges,
	load: placeholderFor({ entry: 'http://web:80/' }),
});
/** The home of whoever runs this is another in these tests. */
function atHome<T>(ask: () => T): T {
	const was = process.env.HOME;
	process.env.HOME = join(folder, 'home');
	try {
		return ask();
	} finally {
		process.env.HOME = was;
	}
}

describe('what is grave in a folder', () => {
	for (const [name, { of, named }] of Object.entries(REFUSED))
		test(`${name} is refused on the way of requests, and left out beside it`, () => {
			const settings = readSettings('shop', {});
			const given = { read, folder: own(''), look: look() };
			assert.throws(
				() => atHome(() => checkConfig(configWith(of()), { project: projectWith([['web', 'other']]), settings, ...given })),
				(error) => {
					assert.match(String(error), named);
					return true;
				},
			);
			const { without, differs } = atHome(() => copyFor(configWith(of()), { project: projectWith([]), ...given }));
			assert.deepEqual(without, ['other']);
			const [said] = differs.filter((text) => text.startsWith('other: left out of the run'));
			assert.match(said, named);
		});
});

/** Of the copy, where nothing is refused. */
const copied = (hostile: Hostile) =>
	atHome(() => copyFor(configWith(hostile), { project: projectWith([['web', 'other']]), folder: own(''), look: look() }));

test('what a service shares with the machine is its own in the copy', () => {
	const shared = { pid: 'host', ipc: 'host', uts: 'host', userns_mode: 'host', cgroup: 'host', cgroup_parent: '/system.slice' };
	const { copy, dangers, differs } = copied([shared]);
	assert.deepEqual(
		Object.keys(shared).filter((key) => key in copy.config.services.other),
		[],
	);
	assert.deepEqual(dangers, []);
	for (const key of Object.keys(shared))
		assert.ok(
			differs.some((text) => text.startsWith('other: ') && text.includes(`${key}: `)),
			key,
		);
});

test('what a service says of itself among others of the machine is not in the copy', () => {
	const taken = { annotations: { a: 'b' }, credential_spec: { file: 'c' }, oom_kill_disable: true, oom_score_adj: -900 };
	const { copy, dangers, differs } = copied([{ ...taken, oom_score_adj: -900, models: { m: null }, gpus: [{ count: 1 }] }]);
	assert.deepEqual(
		[...Object.keys(taken), 'models'].filter((key) => key in copy.config.services.other),
		[],
	);
	assert.deepEqual(
		dangers.filter(({ severity }) => severity === 'refuse'),
		[],
	);
	for (const key of Object.keys(taken))
		assert.ok(
			differs.some((text) => text.startsWith('other: ') && text.includes(`(${key})`)),
			key,
		);
	const plain = copied([{ oom_score_adj: 500, annotations: {}, oom_kill_disable: false, runtime: 'runc' }]);
	assert.deepEqual([plain.differs, plain.dangers], [[], []]);
});

test('what is mounted below a folder on one side stays there', () => {
	const { copy, differs } = copied([bind('/mnt', { ...READ, bind: { propagation: 'rshared', create_host_path: true } })]);
	assert.deepEqual(copy.config.services.other.volumes, [
		{ type: 'bind', source: '/mnt', target: '/x', read_only: true, bind: { create_host_path: true } },
	]);
	assert.match(differs.join(), /other: what is mounted below \/x stays on its side/);
});

test('a profile is read where Compose reads it: beside the first Compose file', () => {
	const project = { ...projectWith([['web', 'other']]), compose: ['deploy/compose.yaml'] };
	const of = (name: string) =>
		copyFor(configWith([{ security_opt: [`seccomp=${name}`] }]), { project, folder: own(''), look: look() }).dangers.length;
	assert.deepEqual([of('own.json'), of('./open.json')], [1, 0]);
});

test('what is mounted of a live folder is mounted before anybody writes there, and no other writes into it', () => {
	const project = { ...projectWith([['web', 'other']]), data: { './live': 'live' as const } };
	const at = (source: string, more = {}) => ({ type: 'bind', source: own(source), target: `/${source}`, ...more });
	const bound = { v: { name: `${NAME}_v`, driver_opts: { type: 'none', o: 'bind', device: own('live/part') } } };
	const copyWith = (volumes: any[], parts = {}) => {
		const config = configWith([{ volumes }, parts]);
		config.services.web.volumes = [at('live')];
		return atHome(() => copyFor(config, { project, folder: own(''), look: look() }));
	};
	const held = copyWith([at('live/part', READ), at('live/file', READ)]);
	const [part, file] = held.copy.config.services.other.volumes;
	assert.deepEqual([part.type, held.copy.config.volumes[part.source].driver_opts.device], ['volume', own('live/part')]);
	assert.match(file.source, /^\/doubletake-files\//);
	assert.ok(held.copy.folders.some(({ volume, device }) => volume === part.source && device !== ''));
	assert.deepEqual([held.dangers, held.copy.config.services.web.volumes], [[], [at('live')]]);
	const writing = copyWith([at('live/part')]);
	assert.deepEqual(writing.copy.folders.find(({ name }) => name === './live/part')?.data, 'copy');
	assert.equal(writing.copy.config.services.other.volumes[0].type, 'volume');
	const byVolume = copyWith([{ type: 'volume', source: 'v', target: '/v', ...READ }], { volumes: bound });
	assert.ok(byVolume.copy.folders.some(({ volume, device }) => volume === 'v' && device === own('live/part')));
	assert.deepEqual(byVolume.dangers, []);
	for (const [service, parts] of [
		[{ configs: [{ source: 'c' }] }, { configs: { c: { file: own('live/file') } } }],
		[{ secrets: [{ source: 's' }] }, { secrets: { s: { file: own('live/file') } } }],
		[{ env_file: [{ path: own('live/file') }] }],
	]) {
		const config = configWith([service, parts]);
		config.services.web.volumes = [at('live')];
		const [danger] = atHome(() => copyFor(config, { project, folder: own(''), look: look() })).dangers;
		assert.equal(danger.what, `is given ${own('live/file')}, which lies in ${own('live')}`);
	}
	const pipe = own('live/pipe');
	execFileSync('mkfifo', [pipe]);
	const { dangers } = copyWith([at('live/pipe')]);
	assert.deepEqual(
		dangers.map(({ severity, what }) => [severity, what]),
		[
			['refuse', `mounts ${own('live')}, in which the pipe ${pipe} lies`],
			['refuse', `mounts ${pipe}, which lies in ${own('live')}`],
		],
	);
});

test('no path goes through a live folder, where a service may turn a link', () => {
	rmSync(own('live/pipe'), { force: true });
	symlinkSync('../sub', own('live/turned'));
	symlinkSync('live/part/../../sub', own('round'));
	writeFileSync(own('sub/x'), '{}');
	for (const way of ['live/turned', 'round']) {
		const file = own(`${way}/x`);
		const check = (hostile: Hostile, load = {}, composed = [] as string[]) => {
			const config = configWith(hostile);
			config.services.web.volumes = bind(own('live')).volumes;
			const project = { ...projectWith([['web', 'other']]), data: { './live': 'live' as const }, load: { urls: ['GET /'], ...load } };
			const given = { project, settings: readSettings('shop', {}), read: () => '{}', folder: own(''), look: look(), composed };
			return atHome(() => checkConfig(config, given));
		};
		const hostile: Hostile[] = [
			[{ secrets: ['s'] }, { secrets: { s: { file } } }],
			[{ configs: ['s'] }, { configs: { s: { file } } }],
			[{ env_file: [file] }],
			[{ security_opt: [`seccomp=${way}/x`] }],
			volume({ type: 'none', o: 'bind', device: own(way) }, READ),
			...(way === 'round' ? [] : [[{ build: { context: own(way), dockerfile_inline: 'FROM x' } }] as Hostile]),
		];
		for (const one of hostile) assert.throws(() => check(one), /leads through .*live|seccomp/, JSON.stringify(one));
		for (const load of [{ script: `${way}/x` }, { openapi: `${way}/x` }]) assert.throws(() => check([{}], load), /by way of .*live/);
		assert.throws(() => check([{}], {}, [file]), /by way of .*live/);
		// It is mounted by where it led.
		assert.equal(check([bind(own(way), READ)]).copy.config.services.other.volumes[0].source, own('sub'));
	}
});

test('what stays writable below a read-only mount is found, and what is its own is not', () => {
	const dangersWith = (source: string, openMounts: string[]) => {
		const seen = { folder: own(''), look: lookWith({ openMounts }), project: projectWith([['web', 'other']]) };
		return copyFor(configWith([bind(source, READ)]), seen).dangers.map(({ severity, what }) => `${severity}: ${what}`);
	};
	const plain = join(folder, 'plain');
	assert.deepEqual(dangersWith(plain, [join(plain, 'disk'), plain, '/', `${plain}er/x`]), [
		`refuse: can write to ${join(plain, 'disk')} of this machine, mounted below ${plain}`,
	]);
	assert.deepEqual([dangersWith(plain, []), dangersWith(own('sub'), [own('sub/disk')])], [[], []]);
});

test('what lies outside of the folder and is not grave is named once, and what is its own is not', () => {
	const plain = join(folder, 'plain');
	const service = {
		volumes: [
			{ type: 'bind', source: plain, target: '/p', ...READ },
			{ type: 'bind', source: own('sub'), target: '/s', ...READ },
		],
		env_file: [{ path: join(plain, 'env') }],
		configs: [{ source: 'c' }],
		build: { context: own('sub'), dockerfile_inline: 'FROM x', additional_contexts: { more: join(plain, 'src') } },
	};
	const config = configWith([service, { configs: { c: { file: join(plain, 'c') } } }]);
	writeFileSync(join(plain, 'c'), '');
	config.services.web.volumes = [service.volumes[0]];
	const given = {
		project: projectWith([['web', 'other']]),
		folder: own(''),
		look: look(),
		composed: [own('x.yaml'), join(plain, 'y.yaml')],
		variables: [
			{ path: own('.env'), real: join(plain, 'z.env') },
			{ path: join(plain, 'env'), real: join(plain, 'env') },
		],
	};
	const { saidOfOutside, dangers } = atHome(() => copyFor(config, given));
	const files = ['web, other', 'other', 'other'].map((by, index) => `${join(plain, ['', 'c', 'src'][index])} (${by})`);
	const part = `${join(plain, 'y.yaml')} (a part of the Compose file)`;
	const variables = [`${join(plain, 'z.env')} (variables, by the link ${own('.env')})`, `${join(plain, 'env')} (variables)`];
	const named = [part, ...variables, ...files].join('; ');
	assert.deepEqual([saidOfOutside, dangers], [[`These files outside the folder reach containers: ${named}.`], []]);
	const { outside, notes } = atHome(() => checkConfig(config, { ...given, settings: readSettings('shop', {}), read, folder: own('') }));
	assert.deepEqual([outside.length, notes.filter((text) => text.includes(plain)).length], [1, 1]);
	assert.deepEqual(copied([{ ...bind(own('sub')), build: { context: own('sub'), dockerfile_inline: 'FROM x' } }]).saidOfOutside, []);
});

test('what a build gets from another machine is named', () => {
	const away = ['https://x.test/y.git#main:z', 'ada@x.test:y.git', 'docker-image://x.test/y:1', 'github.com/x/y'];
	const near = { a: 'service:web', b: 'target:x', c: own('sub'), d: `oci-layout://${own('sub')}` };
	const said = (build: object) => copied([{ build: { context: own('sub'), dockerfile_inline: 'FROM x', ...build } }]).saidOfOutside;
	const named = `: ${away.map((one) => `${one} (other)`).join('; ')}.`;
	for (const additional_contexts of [{ ...away }, away.map((one, at) => `${at}=${one}`)])
		assert.ok(said({ additional_contexts }).join().endsWith(named));
	assert.ok(said({ context: away[0] }).join().endsWith(`: ${away[0]} (other).`));
	assert.deepEqual(said({ additional_contexts: near }), []);
	const file = '#syntax=acme/frontend:1\nFROM x\nADD https://x.test/a git@x.test:y.git /z\nCOPY https://no.test /\nADD plain $X';
	const found = ['docker-image://acme/frontend:1', 'https://x.test/a', 'git@x.test:y.git'];
	assert.ok(
		said({ dockerfile_inline: file })
			.join()
			.endsWith(`: ${found.map((one) => `${one} (other)`).join('; ')}.`),
	);
	assert.deepEqual(said({ dockerfile_inline: '# syntax=docker/dockerfile:1.7\nFROM x\nADD a /b' }), []);
	const asked = ['127.0.0.1:5/c', 'reg:5/r', 'localhost/f', '10.0.0.1/m'];
	const from = `FROM ${asked[2]}\nFROM ghcr.io/x/y:1\nRUN --mount=from=${asked[3]},target=/x true`;
	assert.deepEqual(said({ cache_from: [asked[0], `type=registry,ref=${asked[1]}`, 'x'], dockerfile_inline: from }), [
		`A registry on this machine or its network is asked for these images, if they are not here: ${asked.map((one) => `${one} (other)`).join('; ')}.`,
	]);
	assert.match(copied([{ image: '[::1]:5000/x' }]).saidOfOutside.join(), /asked for .*: \[::1\]:5000\/x \(other\)\.$/);
});

test('a socket, and what is copied for the run, is named with what else lies outside, in the record too', async () => {
	const listening = [join(folder, 'calls/x'), own('sub/y')];
	const servers = listening.map((path) => createServer().listen(path));
	await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
	try {
		const [plain, socket, inside] = [join(folder, 'plain'), ...listening];
		const volumes = [bind(plain), bind(socket, READ), bind(own('sub'), READ)].map(({ volumes: [one] }, at) => ({
			...one,
			target: `/${at}`,
		}));
		const config = configWith([{ volumes }]);
		config.services.web.volumes = [{ ...volumes[0], read_only: true }];
		const given = { project: projectWith([['web', 'other']]), read, folder: own(''), look: look() };
		const settings = readSettings('shop', {});
		assert.throws(() => atHome(() => checkConfig(config, { ...given, settings })), {
			message: /listens there may do for it what its own user may[\s\S]*--allow=/,
		});
		const allowed = { ...NOTHING, paths: [socket] };
		const { outside, notes } = atHome(() => checkConfig(config, { ...given, settings: { ...settings, allowed } }));
		const named = [`${plain} (web, other, a copy)`, `${socket} (other, a socket)`, `${inside} (other, a socket)`].join('; ');
		assert.equal(outside[0], `These files outside the folder reach containers: ${named}.`);
		// What a run is warned of stands in its record.
		assert.deepEqual(
			outside.slice(1),
			notes.filter((text) => text.includes('listens there')),
		);
		assert.equal(outside.length, 3);
	} finally {
		for (const server of servers) server.close();
	}
});

test('what a name would have a terminal obey, and ends of lines in it, are codes in every note', () => {
	const odd = join(folder, 'plain', 'a\u001b[2J\u202e\nnote: all is well');
	const config = configWith([{ volumes: [bind(odd).volumes[0], { ...bind(`${odd}2`, READ).volumes[0], target: '/y' }] }]);
	const given = { project: projectWith([['web', 'other']]), settings: readSettings('shop', {}), read, folder: own(''), look: look() };
	mkdirSync(odd);
	mkdirSync(`${odd}2`);
	const { notes, differs, outside } = atHome(() => checkConfig(config, given));
	const texts = [...notes, ...differs, ...outside];
	assert.ok(texts.some((text) => text.includes(String.raw`a\u001b[2J\u202e\nnote: all is well`)));
	assert.deepEqual(
		texts.filter((text) => /[\p{Cc}\u202e]/u.test(text)),
		[],
	);
});

test('what a build leaves elsewhere, or has of the user’s, is not in the copy', () => {
	const taken = { tags: ['prod/web:latest'], cache_to: ['type=registry,ref=acme/cache'], network: 'host', ssh: { default: null } };
	const { copy, dangers, differs } = copied([{ build: { context: own('sub'), dockerfile_inline: 'FROM x', ...taken } }]);
	assert.deepEqual(copy.config.services.other.build, { context: own('sub'), dockerfile_inline: 'FROM x' });
	assert.deepEqual(dangers, []);
	for (const key of Object.keys(taken))
		assert.ok(
			differs.some((text) => text.includes(`(build.${key})`)),
			key,
		);
});

test('layers of other folders, shares and disks are empty volumes', () => {
	const layered = { type: 'overlay', device: 'overlay', o: 'lowerdir=/root,upperdir=/etc,workdir=/tmp/w' };
	for (const driver_opts of [
		layered,
		{ type: 'ext4', device: '/dev/sda1' },
		{ type: 'nfs', o: 'addr=10.0.0.1', device: ':/x' },
		{ type: 'cifs', device: '//nas/x' },
		// What the kernel shows has no device, and only some engines want one.
		{ type: 'proc', device: '' },
	]) {
		const { copy, dangers } = copied(volume(driver_opts));
		assert.deepEqual([copy.config.volumes.v, dangers], [{ name: `${NAME}_v` }, []]);
	}
});

test('a place in a container with a dollar sign has the copy, and not what it is a copy of', () => {
	// Compose doubles the sign in what it resolves.
	const { copy } = copied([{ volumes: [{ type: 'bind', source: own('data'), target: '/d$$e' }] }]);
	const [mount, ...others] = copy.config.services.other.volumes;
	assert.deepEqual([mount.type, mount.target, others], ['volume', '/d$e', []]);
});

test('what is looked at is what is mounted: a link to another folder is followed for it', () => {
	const { copy, dangers } = copied([bind(own('sub/up/mnt'), READ)]);
	assert.deepEqual([copy.config.services.other.volumes[0].source, dangers], ['/mnt', []]);
});

test('a folder that is its own is no danger, and a profile that forbids is none', () => {
	const service = {
		...bind(own('data')),
		security_opt: ['no-new-privileges:true', 'seccomp:shut.json'],
		cap_add: ['NET_ADMIN', 'SYS_NICE'],
		pid: 'service:web',
	};
	assert.deepEqual(copied([service]).dangers, []);
});

test('a folder’s own .env, or a link, leads init to no Compose file of another folder', async () => {
	const folderOf = (name: string) => join(folder, name);
	mkdirSync(folderOf('env'));
	mkdirSync(folderOf('linked'));
	writeFileSync(folderOf('elsewhere/compose.yaml'), '{}');
	writeFileSync(folderOf('env/.env'), 'COMPOSE_FILE=compose.yaml:../elsewhere/compose.yaml\n');
	writeFileSync(folderOf('env/compose.yaml'), '{}');
	symlinkSync('../elsewhere/compose.yaml', folderOf('linked/compose.yaml'));
	for (const name of ['env', 'linked'])
		await assert.rejects(
			init(folderOf(name), [], {} as any),
			/init: expected Compose files in .*which leads to .*elsewhere\/compose\.yaml/,
		);
});

test('what the user allows by its path is told, and not refused', () => {
	const given = {
		project: projectWith([['web', 'other']]),
		folder: own(''),
		look: look(),
		isAllowed: (path: string) => path === '/proc',
	};
	const { dangers, without } = copyFor(configWith([bind('/proc', READ)]), given);
	assert.deepEqual([without, dangers.map(({ severity }) => severity)], [[], ['warn']]);
});

test('no service writes to a file that Compose reads again while it runs', () => {
	const config = configWith([bind(own(''))]);
	const ask = (choice: 'live' | 'copy', ...paths: string[]) => {
		const settings = { ...readSettings('shop', {}), allowed: { paths, variables: [] } };
		const project = { ...projectWith([]), data: { '.': choice } };
		const files = { composed: [own('compose.yaml')], taken: [own('.env')] };
		return () => atHome(() => checkConfig(config, { project, settings, read, folder: own(''), look: look(), ...files }));
	};
	const reports = join(REPORTS, 'none');
	const within = { project: { ...projectWith([]), data: { [reports]: 'live' as const } }, folder: own(''), look: look() };
	assert.throws(
		() => atHome(() => checkConfig(configWith([bind(reports)]), { ...within, settings: readSettings('shop', {}), read })),
		/found .*\/reports, which other could replace/,
	);
	assert.throws(ask('live'), /data, \.: live: expected .* found .*\/shop\/compose\.yaml, which other could replace/);
	assert.throws(ask('live', own('compose.yaml')), /found .*\/shop\/\.env, which other could replace/);
	ask('live', own('compose.yaml'), own('.env'))();
	ask('copy')();
});

test('a socket or a pipe that lies in a mounted folder at the run’s end, and did not before, is named', async () => {
	const place = join(folder, 'later');
	mkdirSync(place);
	const { dangers, appeared } = copyFor(configWith([bind(place, READ)]), { project: projectWith([]), folder: own(''), look: look() });
	assert.deepEqual([dangers, appeared()], [[], []]);
	const late = createServer().listen(join(place, 'late.sock'));
	await new Promise((done) => late.once('listening', () => done(null)));
	execFileSync('mkfifo', [join(place, 'pipe')]);
	const said = appeared();
	late.close();
	assert.equal(said.length, 2);
	assert.match(said[0], /mounts .*\/later, in which the socket .*\/later\/late\.sock lies: that was not there when the run began\.$/);
});

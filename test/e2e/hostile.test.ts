/**
 * Folders that others wrote, on containers: what reaches for the machine is refused before anything starts, and what a service writes into its copy
 * leads no other out of it.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { docker } from '../../lab/docker/docker.ts';
import { assertNothingIsLeft, doubletakeIn, machineImages, RUN_LIMIT_MS } from './commands.ts';

const SERVE = "require('http').createServer((_, answer) => answer.end()).listen(8080)";

async function folderWith(t: TestContext, compose: object): Promise<string> {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-hostile-'));
	t.after(() => rm(folder, { recursive: true, force: true }));
	await writeFile(join(folder, 'compose.yaml'), JSON.stringify(compose));
	return folder;
}

test('what reaches for the machine is refused by its name before anything starts', { timeout: RUN_LIMIT_MS }, async (t) => {
	const images = await machineImages();
	const web = {
		image: '$NODE_IMAGE',
		command: ['node', '-e', SERVE],
		ports: ['8080'],
		volumes: ['./sock:/x:ro', 'all:/all'],
		cap_add: ['SYS_PTRACE'],
	};
	const all = { driver_opts: { type: 'tmpfs', o: 'bind', device: '/' } };
	const folder = await folderWith(t, { services: { web }, volumes: { all } });
	await symlink('/var/run/docker.sock', join(folder, 'sock'));
	const started = Math.floor(Date.now() / 1000);
	const { exitCode, output } = await doubletakeIn(folder, ['run'], { ...images, LOAD: 'brief' });
	assert.equal(exitCode, EXIT.notReady, output);
	for (const named of [
		/web mounts \S+\/sock of this machine, which leads to \S+docker\.sock/,
		/web can write to \/ of this machine \(by the volume all\)/,
		/\(SYS_PTRACE\)/,
	])
		assert.match(output, named);
	const containers = await docker.listContainers({ all: true });
	assert.deepEqual(
		containers.filter(({ Created, Labels }) => Created >= started && Labels['com.docker.compose.project']?.startsWith('doubletake-run-')),
		[],
	);
	await assertNothingIsLeft();
});

test('a link that a service puts into its copy leads no other service out of it', { timeout: RUN_LIMIT_MS }, async (t) => {
	const images = await machineImages();
	const seen = "require('fs').readdirSync('/u').join() === 'own' ? 200 : 500";
	const front = {
		image: '$NODE_IMAGE',
		command: ['node', '-e', `require('http').createServer((_, answer) => { answer.statusCode = ${seen}; answer.end(); }).listen(8080)`],
		ports: ['8080'],
		volumes: ['./src/part:/u:ro'],
		depends_on: { writer: { condition: 'service_healthy' } },
	};
	const writer = {
		image: '$NODE_IMAGE',
		user: 'root',
		command: ['sh', '-c', 'mv /app/part /app/x && ln -s / /app/part && touch /tmp/done && sleep 1000'],
		volumes: ['./src:/app'],
		healthcheck: { test: ['CMD', 'test', '-e', '/tmp/done'], interval: '1s' },
	};
	const folder = await folderWith(t, { services: { front, writer } });
	await mkdir(join(folder, 'src/part'), { recursive: true });
	await writeFile(join(folder, 'src/part/own'), '');
	const { exitCode, output } = await doubletakeIn(folder, ['init', '--observe'], images);
	assert.equal(exitCode, EXIT.done, output);
	assert.doesNotMatch(output, /answered by 500|is not answered well/);
	await assertNothingIsLeft();
	const holders = await docker.listContainers({ all: true, filters: JSON.stringify({ label: ['doubletake.holds'] }) });
	assert.deepEqual(holders, []);
});

test('a path that a k6 script computes leads out of nothing that is mounted', { timeout: RUN_LIMIT_MS }, async (t) => {
	const images = await machineImages();
	const folder = await folderWith(t, { services: { web: { image: '$NODE_IMAGE', command: ['node', '-e', SERVE], ports: ['8080'] } } });
	await writeFile(`${folder}-secret`, 'canary-beside');
	t.after(() => rm(`${folder}-secret`, { force: true }));
	await symlink(`${folder}-secret`, join(folder, 'link'));
	await chmod(folder, 0o755);
	const project = [
		'compose: [compose.yaml]',
		'entry: http://web:8080/',
		'services: {web: {tier: app, product: opaque, watch: 0}}',
		'edges: []',
	];
	await writeFile(join(folder, 'doubletake.yaml'), [...project, 'load: {script: load.js}'].join('\n'));
	for (const path of [`['..', '${basename(folder)}-secret'].join('/')`, "['.', 'link'].join('/')"]) {
		await writeFile(join(folder, 'load.js'), `const text = open(${path});\nexport default () => console.log(text);\n`);
		const { exitCode, output } = await doubletakeIn(folder, ['run'], images);
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, /load\.js: expected a script that k6 can read.*no such file/s);
		assert.doesNotMatch(output, /canary-beside/);
	}
	await assertNothingIsLeft();
});

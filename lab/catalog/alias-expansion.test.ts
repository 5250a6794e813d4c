import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { COMPOSE_FOLDER } from '../base/paths.ts';
import { init } from '../run/project/init-command.ts';
import { refuseExpansion } from './alias-expansion.ts';
import { architectures } from './architectures.ts';
import { parseProject } from './project-file.ts';
import { composeFileOf } from './shipped-services.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-expansion-'));
after(() => rmSync(folder, { recursive: true }));

const WEB = 'services: {web: {image: nginx, expose: ["80"]}}\n';
/** Nine lines, each with ten aliases of the one before: a thousand million values. */
const BOMB = ['x-a: &a [l, l, l, l, l, l, l, l, l, l]', ...[...'bcdefghi'].map(lineAfter)].join('\n');

function lineAfter(name: string, index: number) {
	const before = `*${'abcdefgh'[index]}`;
	return `x-${name}: &${name} [${Array.from({ length: 10 }, () => before).join(', ')}]`;
}

/** Writes files, and looks at the first of them. */
function look(files: Record<string, string>) {
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
	refuseExpansion(folder, Object.keys(files).slice(0, 1));
}

const refused = (asking: () => unknown, ...words: RegExp[]) =>
	assert.throws(asking, (error) => {
		assert.ok(error instanceof NotReadyError, String(error));
		for (const one of words) assert.match(error.message, one);
		return true;
	});

test('what is added is counted as Compose will see it, not by how often there is an alias', () => {
	/** What all stand for beside aliases that are refused, with which it is told. */
	const standFor = (text: string) => {
		try {
			look({ 'bomb.yaml': `${BOMB}\n${text}` });
		} catch (error) {
			return Number(/some that stand for ([\d,]+)/.exec(String(error))?.[1].replaceAll(',', ''));
		}
		return 0;
	};
	const added = (text: string) => standFor(text) - standFor('');
	assert.equal(added('a: &a 1\nb: [*a, *a]'), 0);
	assert.equal(added('a: &a [1, 2]\nb: [*a, *a]'), 4);
	assert.equal(added('a: &a {k: 1}\nb: {<<: *a}'), 2);
	assert.equal(added('a: &a [1, 2]\nb: &b [*a, *a]\nc: *b'), 4 + 6);
	assert.equal(added('a: &a [1]\nb: *a\nc: &a [1, 2, 3]\nd: *a'), 1 + 3);
	assert.equal(added('a: *nothing'), 0);
});

test('aliases of aliases are refused with the file’s name, before Compose sees it', async () => {
	refused(
		() => look({ 'bomb.yaml': `${WEB}${BOMB}` }),
		/bomb\.yaml: expected aliases .* at most 100,000 values together; found some that stand for [\d,]{11,}/,
		/To do: /,
	);
	const path = process.env.PATH;
	process.env.PATH = folder;
	try {
		await assert.rejects(init(folder, ['bomb.yaml'], {} as any), /bomb\.yaml: expected aliases/);
	} finally {
		process.env.PATH = path;
	}
});

test('a file that is included or extended is looked at too, and each once', () => {
	for (const text of [
		'include: [part.yaml]\n',
		'include: [{path: [other.yaml, part.yaml]}]\n',
		'services: {web: {extends: {file: part.yaml, service: web}}}\n',
		'include: [middle.yaml]\n',
	])
		refused(
			() => look({ 'compose.yaml': text, 'part.yaml': `${WEB}${BOMB}`, 'middle.yaml': 'include: [part.yaml]\n' }),
			/part\.yaml: expected aliases/,
		);
	look({ 'compose.yaml': 'include: [compose.yaml, middle.yaml]\n', 'middle.yaml': `include: [compose.yaml]\n${WEB}` });
});

test('what stands within itself, and what is nested deeper than can be read, is refused in words', () => {
	refused(() => look({ 'compose.yaml': `${WEB}x-a: &a [*a]\n` }), /compose\.yaml: .* found one that stands within itself/);
	refused(() => look({ 'compose.yaml': `x-a: ${'['.repeat(100_000)}` }), /compose\.yaml: .*deeper than can be read/);
});

test('ordinary files with many anchors are taken', () => {
	for (const id of Object.keys(architectures)) refuseExpansion(dirname(composeFileOf(id)), [composeFileOf(id)]);
	refuseExpansion(COMPOSE_FOLDER, ['base.yaml']);
	const common = Array.from({ length: 50 }, (_, index) => `  setting_${index}: &s${index} value`).join('\n');
	const services = Array.from({ length: 300 }, (_, index) => `  web-${index}: {<<: *common, image: *s1, environment: *common}`).join('\n');
	look({ 'compose.yaml': `x-common: &common\n${common}\nservices:\n${services}\n` });
});

test('what is at fault otherwise, or not there, is left to Compose to tell', () => {
	look({ 'compose.yaml': 'services: {web: [\n' });
	look({ 'compose.yaml': '' });
	look({ 'compose.yaml': 'include: ["$NOWHERE/x.yaml", nowhere.yaml, ".", 7]\nservices: [1]\n' });
	refuseExpansion(folder, ['nowhere.yaml']);
});

test('doubletake.yaml is held to the same', () => {
	refused(() => parseProject(`${BOMB}\n`, 'doubletake.yaml'), /^doubletake\.yaml: expected aliases/);
	refused(() => parseProject('entry: *nothing\n', 'doubletake.yaml'), /doubletake\.yaml/);
});

test('values that name the one before are counted, in quotes too', () => {
	const read = (...lines: string[]) => look({ 'compose.yaml': WEB, '.env': lines.join('\n') });
	for (const begin of ['', '"\nX='])
		refused(
			() => read(...Array.from({ length: 40 }, (_, at) => `A${at + 1}=${begin}$A${at}$A${at}"`)),
			/\.env: expected values .* found \w+,/,
		);
	read(`KEY="${'x\n'.repeat(9e4)}"`, ...Array.from({ length: 200 }, (_, at) => `#\nU${at}=$A:$B/`));
});

test('what Compose would read without end, or wait for, is told before it is called', async () => {
	const odd = mkdtempSync(join(os.tmpdir(), 'doubletake-odd-'));
	const put = {
		pipe: (name: string) => execFileSync('mkfifo', [join(odd, name)]),
		device: (name: string) => symlinkSync('/dev/zero', join(odd, name)),
		circle: (name: string) => symlinkSync(basename(name), join(odd, name)),
	};
	const words = { pipe: /a pipe/, device: /a device/, circle: /links that lead in a circle/ };
	const written = {
		'compose.yaml': null,
		'.env': WEB,
		'part.yaml': `include: [part.yaml]\n${WEB}`,
		'base.yaml': 'services: {web: {extends: {file: base.yaml, service: web}}}\n',
		'web.env': 'services: {web: {image: nginx, env_file: web.env}}\n',
		'more.env': 'services: {web: {image: nginx, env_file: [{path: ./more.env, required: false}]}}\n',
		labels: 'services: {web: {image: nginx, label_file: [labels]}}\n',
		'own.env': 'include: [{path: other.yaml, env_file: [own.env]}]\n',
		'deep/.env': `include: [deep/compose.yaml]\n${WEB}`,
	};
	try {
		for (const [name, text] of Object.entries(written))
			for (const kind of Object.keys(put) as (keyof typeof put)[]) {
				rmSync(odd, { recursive: true });
				mkdirSync(join(odd, 'deep'), { recursive: true });
				writeFileSync(join(odd, 'deep/compose.yaml'), WEB);
				writeFileSync(join(odd, 'other.yaml'), WEB);
				if (text !== null) writeFileSync(join(odd, 'compose.yaml'), text);
				put[kind](name);
				refused(() => refuseExpansion(odd, ['compose.yaml']), new RegExp(`${name}: expected a regular file`), words[kind]);
				if (name === 'compose.yaml') await assert.rejects(init(odd, [], {} as any), words[kind]);
			}
	} finally {
		rmSync(odd, { recursive: true, force: true });
	}
});

/**
 * What a module exports somebody imports. A name that only tests import is a part that could be private: there are to be fewer of them, and
 * never more.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

/** Names that only tests import. Lower it with each that goes. */
const FOR_TESTS_MOST = 41;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.js', '*.mjs', '*.ts'])).split('\n');
const texts = new Map(files.filter((file) => file !== '').map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const isTest = (file: string) => /\.(?:test|check)\.[jt]s$|\/fixtures\/|^test\//.test(file);
/** Of the lab's own modules; what k6 and the browser load is named otherwise. */
const isModule = (file: string) => file.startsWith('lab/') && !isTest(file);

/** Who imports what, by module and name. */
const importers: Map<string, string[]> = new Map();
for (const [file, text] of texts)
	for (const [, names, path] of text.matchAll(/(?:import|export)\s[^;'"]*?\{([^}]*)\}\s*from '(\.[^']+)'/g))
		for (const name of names.split(',').map((one) => one.trim().split(/\s+as\s+/)[0])) {
			const key = `${posix.join(posix.dirname(file), path)}#${name}`;
			importers.set(key, [...(importers.get(key) ?? []), file]);
		}

/** Where a module is loaded when it is asked for, whoever does so says what of it. */
const loaders: Map<string, string[]> = new Map();
for (const [file, text] of texts)
	for (const [, path] of text.matchAll(/await import\('(\.[^']+)'\)/g)) {
		const module = posix.join(posix.dirname(file), path);
		loaders.set(module, [...(loaders.get(module) ?? []), file]);
	}

const usersOf = (file: string, name: string): string[] => [
	...(importers.get(`${file}#${name}`) ?? []),
	...(loaders.get(file) ?? []).filter((loader) => new RegExp(`\\b${name}\\b`).test(texts.get(loader) ?? '')),
];

/** Found in each folder of an adapter by their names. */
const BY_FOLDER = ['adapter', 'decoder'];

/** What is loaded when it is asked for is named beside its file, by a program or by Docker. */
const isNamedElsewhere = (file: string, name: string) =>
	BY_FOLDER.includes(name) ||
	[...texts].some(([other, text]) => other !== file && text.includes(basename(file)) && new RegExp(`\\b${name}\\b`).test(text));

const exported = [...texts]
	.filter(([file]) => isModule(file))
	.flatMap(([file, text]) =>
		[...text.matchAll(/^export (?:async )?(function\*?|const|let|class|type) (\w+)/gm)].map(([, kind, name]) => ({
			file,
			name,
			isType: kind === 'type',
		})),
	);

test('what nobody imports is not exported', () => {
	const idle = exported.filter(({ file, name }) => usersOf(file, name).length === 0 && !isNamedElsewhere(file, name));
	assert.deepEqual(
		idle.map(({ file, name }) => `${file}#${name}`),
		[],
	);
});

test('names that only tests import become fewer', () => {
	const own = exported.filter(({ file, name, isType }) => {
		const users = usersOf(file, name);
		return !isType && !BY_FOLDER.includes(name) && users.length > 0 && users.every(isTest);
	});
	const reported = own.map(({ file, name }) => `${file}#${name}`).join('\n');
	assert.ok(own.length <= FOR_TESTS_MOST, `${own.length}; test them through what others use:\n${reported}`);
});

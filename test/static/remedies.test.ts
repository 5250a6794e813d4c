/**
 * A remedy changes one thing: were it two, nobody could say which one the failures went with. Read from the files alone, no
 * Docker here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { architectures } from '../../lab/catalog/architectures.ts';
import { composeFileOf, servicesIn } from '../../lab/catalog/shipped-services.ts';

/**
 * What is one thing though it takes several directives: before Nginx 1.29.7 connections to an upstream are kept only with
 * HTTP/1.1 and an empty Connection header, and the time that they are kept has to stay below the node's own.
 * https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive
 */
const ONE_THING = [['keepalive', 'keepalive_timeout', 'proxy_http_version', 'proxy_set_header Connection']];

const FOLDER = join(ROOT, 'nginx');
const CONF = /\/([\w-]+\.conf)$/;
/** Says which run it is, and nothing about how the run goes. */
const NAME_ONLY = ['profiles', 'depends_on', 'networks'];

/** Every directive of a conf with the blocks around it, such as `events > worker_connections 1024`, includes put in place. */
function directivesOf(file: string, blocks: string[] = []): string[] {
	const around = [...blocks];
	const statements = withoutComments(readFileSync(join(FOLDER, file), 'utf8')).matchAll(/((?:'[^']*'|"[^"]*"|[^;{}'"])*)([;{}])/g);
	return [...statements].flatMap(([, text, end]) => {
		const statement = text.trim().replace(/\s+/g, ' ');
		if (end === '}') around.pop();
		if (end === '{') around.push(statement);
		if (end !== ';') return [];
		const [, included] = /^include (\S+)$/.exec(statement) ?? [];
		return included ? directivesOf(included, around) : [[...around, statement].join(' > ')];
	});
}

const withoutComments = (text: string) => text.replace(/^\s*#.*$/gm, '');

/** @returns what is set, without its value */
function nameOf(directive: string): string {
	const [name, first] = (directive.split(' > ').at(-1) ?? '').split(' ');
	return name === 'proxy_set_header' ? `${name} ${first}` : name;
}

const without: (one: string[], other: string[]) => string[] = (one, other) => one.filter((directive) => !other.includes(directive));

/** Names of what is set in one conf and not, or otherwise, in the other. */
function confDifference(one: string, other: string): string[] {
	const [mine, theirs] = [directivesOf(one), directivesOf(other)];
	return [...new Set([...without(mine, theirs), ...without(theirs, mine)].map(nameOf))].sort();
}

/** The services of an architecture, by the name their figures have. */
const servicesOf = (id: string): Record<string, any> =>
	Object.fromEntries(Object.values(servicesIn(composeFileOf(id))).map((service) => [service.labels['doubletake.name'], service]));

const confOf = ({ entrypoint = [] }: any): string | undefined => entrypoint.flatMap((part: string) => CONF.exec(part)?.[1] ?? [])[0];

/** What Compose files set for a service, flat. */
function settingsOf(service: any): Record<string, string> {
	const { environment = {}, ...rest } = service;
	const own = Object.entries<any>(rest).filter(([key]) => !NAME_ONLY.includes(key));
	const entries = [...own, ...Object.entries<any>(environment).map(([key, value]) => [`environment ${key}`, value])];
	return Object.fromEntries(entries.map(([key, value]) => [key, JSON.stringify(value)]));
}

/** Everything that a remedy changes. */
function changesOf(base: string, remedy: string): string[] {
	const [before, after] = [servicesOf(base), servicesOf(remedy)];
	assert.deepEqual(Object.keys(after).sort(), Object.keys(before).sort(), 'the same services');
	return Object.keys(before).flatMap((name) => {
		const [mine, theirs] = [settingsOf(before[name]), settingsOf(after[name])];
		const changed = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].filter((key) => mine[key] !== theirs[key]);
		const confs = [confOf(before[name]), confOf(after[name])];
		// Another conf is as much of a change as what stands in it.
		return changed.flatMap((key) => (key === 'entrypoint' ? confDifference(confs[0] ?? '', confs[1] ?? '') : [key]));
	});
}

const isOneThing = (changes: string[]) =>
	new Set(changes).size === 1 || ONE_THING.some((names) => changes.every((change) => names.includes(change)));

for (const [base, { remedies = [] }] of Object.entries(architectures)) {
	for (const { system: remedy = '' } of remedies) {
		test(`${remedy} differs from ${base} in one thing`, () => {
			const changes = changesOf(base, remedy);
			assert.ok(changes.length > 0, 'a remedy changes something');
			assert.ok(isOneThing(changes), changes.join(', '));
		});
	}
}

test('two things at once are seen as two, in a conf as among the services', () => {
	const both = changesOf('2a', '2a-tuned');
	assert.ok(both.includes('worker_connections') && both.includes('keepalive'), both.join(', '));
	assert.equal(isOneThing(both), false);
	assert.equal(isOneThing(changesOf('2a', '2a-slots')), true);
	assert.throws(() => changesOf('a-lb', '2a-slots'), /the same services/);
});

test('the number of nodes counts as a difference of the conf', () => {
	assert.deepEqual(confDifference('a-lb.conf', '2a.conf'), ['server']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GivenArm } from '../options/arms.ts';
import type { Arm } from './arms.ts';
import { formatArms, isSameSystem, labelOfSide, readArm, readGivenArm, tellApart, titleOfSide } from './arms.ts';

test('an arm is an architecture, or one with variables', () => {
	assert.deepEqual(readArm('A', '2a'), { id: '2a', architecture: '2a' });
	assert.deepEqual(readArm('B', 'a:DELAY=10,BUDGET=fair'), {
		id: 'a:DELAY=10,BUDGET=fair',
		architecture: 'a',
		variables: { DELAY: '10', BUDGET: 'fair' },
	});
});

test('what is no arm is refused, with what would be one', () => {
	assert.throws(() => readArm('A', undefined), /A: expected an architecture; found none[\s\S]*make compare A=a B=2a/);
	assert.throws(() => readArm('B', 'b'), /B: expected one of a, a-lb/);
	assert.throws(() => readArm('B', 'a:LOAD=smoke'), /expected one of BUDGET, DELAY, INTEGRITY, .*FAULT; found "LOAD"/);
	assert.throws(() => readArm('B', 'a:DELAY'), /expected NAME=value/);
});

test('two arms that are alike get labels that are not, and are known for the same system', () => {
	const [base, other] = tellApart(readArm('A', 'a'), readArm('B', 'a'));
	assert.deepEqual([base.id, other.id], ['a', 'a again']);
	assert.ok(isSameSystem(base, other));
	assert.ok(!isSameSystem(base, readArm('B', 'a:DELAY=10')));
});

test('a variable at its standard value is the same as one that is left out', () => {
	assert.ok(isSameSystem(readArm('A', 'crud'), readArm('B', 'crud:WORKERS=10')));
	assert.ok(!isSameSystem(readArm('A', 'crud'), readArm('B', 'crud:WORKERS=20')));
});

test('an arm is written as it was read', () => {
	for (const text of ['2a', 'a:DELAY=10', 'tokyo:THREADS=2,FILES=4'])
		assert.deepEqual(formatArms({ a: readArm('A', text) }), { words: [], given: [`A=${text}`] });
});

test('two arms of an own system are one where Compose makes the same of the same commit, whatever was typed', () => {
	const arm: (id: string, fingerprint: string, commit?: string | null) => Arm = (id, fingerprint, commit = null) => ({
		id,
		architecture: 'shop',
		resolved: { title: id, given: [id], compose: ['compose.yaml'], commit, absent: [], fingerprint },
	});
	assert.ok(isSameSystem(arm('shop', 'f1'), arm('POOL=8', 'f1')));
	const patient = arm('shop', 'f1');
	assert.ok(!isSameSystem(patient, { ...patient, resolved: patient.resolved && { ...patient.resolved, options: { RETRIES: '2' } } }));
	assert.ok(!isSameSystem(arm('shop', 'f1'), arm('POOL=9', 'f2')));
	assert.ok(!isSameSystem(arm('shop', 'f1'), arm('rev:HEAD', 'f1', '0123')));
	assert.ok(!isSameSystem(arm('shop', 'f1'), { id: 'shop', architecture: 'shop' }));
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

function read(...given: string[]): Pick<GivenArm, 'files' | 'variables' | 'revision'> {
	const { files, variables, revision } = readGivenArm('--a', given);
	return { files, variables, revision };
}

test('an arm is Compose files, values of variables, or a revision, by how it is written', () => {
	assert.deepEqual(read('compose.yaml, compose.tuned.yaml'), {
		files: ['compose.yaml', 'compose.tuned.yaml'],
		variables: {},
		revision: null,
	});
	assert.deepEqual(read('POOL=8'), { files: null, variables: { POOL: '8' }, revision: null });
	assert.deepEqual(read('rev:v1.2'), { files: null, variables: {}, revision: 'v1.2' });
	assert.deepEqual(read(), { files: null, variables: {}, revision: null });
});

test('several variables stand with commas between or in an option each, and a value may hold a comma, a sign of equality or nothing', () => {
	assert.deepEqual(read('POOL=8,WORKERS=2', 'MODE=').variables, { POOL: '8', WORKERS: '2', MODE: '' });
	assert.deepEqual(read('HOSTS=a,b,QUERY=x=1,2').variables, { HOSTS: 'a,b', QUERY: 'x=1,2' });
});

test('a file whose name looks like a variable is one when its folder is written', () => {
	assert.deepEqual(read('./a=b.yaml').files, ['./a=b.yaml']);
});

test('kinds may be combined, each in an option of its own', () => {
	assert.deepEqual(read('rev:HEAD', 'POOL=8', 'a.yaml', 'b.yaml'), {
		files: ['a.yaml', 'b.yaml'],
		variables: { POOL: '8' },
		revision: 'HEAD',
	});
});

test('options of the lab stand behind a dot, so that none is taken for a variable of a Compose file', () => {
	const { variables, options } = readGivenArm('--b', ['.:RETRIES=2,BACKOFF=50', 'RETRIES=9', '.:BUDGET=web=0.5,db=1,TIMEOUT=900']);
	assert.deepEqual(options, { RETRIES: '2', BACKOFF: '50', BUDGET: 'web=0.5,db=1', TIMEOUT: '900' });
	assert.deepEqual(variables, { RETRIES: '9' });
	assert.equal(labelOfSide(readGivenArm('--b', ['.:RETRIES=2']), 'shop'), 'RETRIES=2');
	assert.equal(titleOfSide(readGivenArm('--b', ['.:RETRIES=2', 'POOL=8']), 'shop', null), 'shop with POOL=8, RETRIES=2');
});

test('what is no option in which arms may differ is refused after the dot', () => {
	const refused = (text: string, message: RegExp) => assert.throws(() => readGivenArm('--b', [text]), message);
	refused('.:POOL=8', /--b: expected BUDGET=, INTEGRITY=, TIMEOUT=, .* after "\.:"; found "POOL=8"[\s\S]*without the dot/);
	refused('.:RATE=50', /found "RATE=50"[\s\S]*RATE=50 before the command is for both arms/);
	refused('.:RETRIES', /found "RETRIES"/);
	assert.throws(() => readGivenArm('--b', ['.:RETRIES=1', '.:RETRIES=2']), /expected one value of RETRIES/);
});

test('what says nothing, or the same thing twice, is refused by its option', () => {
	for (const [given, message] of [
		[[''], /^NotReadyError: --b: expected Compose files .*; found ""/],
		[['a.yaml,'], /found "a\.yaml,"/],
		[['rev:'], /--b: expected a git revision after "rev:"; found ""/],
		[['rev:--all'], /expected a git revision/],
		[['rev:a', 'rev:b'], /expected one revision; found "a" and "b"/],
		[['POOL=8', 'POOL=9'], /expected one value of POOL/],
	] as [string[], RegExp][])
		assert.throws(() => readGivenArm('--b', given), message, given.join(' '));
});

test('an arm is called by what was given for it, and the folder as it is by the name of the system', () => {
	const label = (...given: string[]) => labelOfSide(readGivenArm('--a', given), 'shop');
	assert.deepEqual([label(), label('POOL=8'), label('rev:v1.2')], ['shop', 'POOL=8', 'rev:v1.2']);
	assert.equal(label('POOL=8', 'a.yaml,b.yaml', 'rev:HEAD'), 'rev:HEAD, a.yaml,b.yaml, POOL=8');
});

test('the title says in words what is run, with the commit of a revision', () => {
	const title = (...given: string[]) => titleOfSide(readGivenArm('--a', given), 'shop', COMMIT);
	assert.equal(title(), 'shop as it is');
	assert.equal(title('POOL=8,X=1'), 'shop with POOL=8, X=1');
	assert.equal(title('rev:v1.2', 'a.yaml'), 'shop at v1.2 (0123456), by a.yaml');
});

test('a secret is no value of an arm: the plan would keep it', () => {
	assert.throws(
		() => readGivenArm('--b', ['POOL=8,DB_PASSWORD=Wind&Wetter-7']),
		(error) =>
			error instanceof Error &&
			/--b: .* found that of DB_PASSWORD, .* likely a secret/.test(error.message) &&
			!error.message.includes('Wetter'),
	);
	assert.throws(() => readGivenArm('--b', ['URL=postgres://shop:Wind-Wetter-7@db/shop']), /found that of URL/);
	// Names that begin like one, of what says nothing.
	assert.deepEqual(readGivenArm('--b', ['PASSENGER_MAX_POOL_SIZE=12', 'MAX_TOKENS=4096', 'PASSWORD=postgres']).variables, {
		PASSENGER_MAX_POOL_SIZE: '12',
		MAX_TOKENS: '4096',
		PASSWORD: 'postgres',
	});
});

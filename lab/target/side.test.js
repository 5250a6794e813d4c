import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelOfSide, readSide, titleOfSide } from './side.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** @type {(...given: string[]) => Pick<import('./side.js').Side, 'files' | 'variables' | 'revision'>} */
function read(...given) {
  const { files, variables, revision } = readSide('--a', given);
  return { files, variables, revision };
}

test('a side is Compose files, values of variables, or a revision, by how it is written', () => {
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
  const { variables, options } = readSide('--b', ['.:RETRIES=2,BACKOFF=50', 'RETRIES=9', '.:BUDGET=web=0.5,db=1,TIMEOUT=900']);
  assert.deepEqual(options, { RETRIES: '2', BACKOFF: '50', BUDGET: 'web=0.5,db=1', TIMEOUT: '900' });
  assert.deepEqual(variables, { RETRIES: '9' });
  assert.equal(labelOfSide(readSide('--b', ['.:RETRIES=2']), 'shop'), 'RETRIES=2');
  assert.equal(titleOfSide(readSide('--b', ['.:RETRIES=2', 'POOL=8']), 'shop', null), 'shop with POOL=8, RETRIES=2');
});

test('what is no option in which sides may differ is refused after the dot', () => {
  const refused = (/** @type {string} */ text, /** @type {RegExp} */ message) => assert.throws(() => readSide('--b', [text]), message);
  refused('.:POOL=8', /--b: expected BUDGET=, TIMEOUT=, .* after "\.:"; found "POOL=8"[\s\S]*without the dot/);
  refused('.:RATE=50', /found "RATE=50"[\s\S]*RATE=50 before the command is for both sides/);
  refused('.:RETRIES', /found "RETRIES"/);
  assert.throws(() => readSide('--b', ['.:RETRIES=1', '.:RETRIES=2']), /expected one value of RETRIES/);
});

test('what says nothing, or the same thing twice, is refused by its option', () => {
  for (const [given, message] of /** @type {[string[], RegExp][]} */ ([
    [[''], /^NotReadyError: --b: expected Compose files .*; found ""/],
    [['a.yaml,'], /found "a\.yaml,"/],
    [['rev:'], /--b: expected a git revision after "rev:"; found ""/],
    [['rev:--all'], /expected a git revision/],
    [['rev:a', 'rev:b'], /expected one revision; found "a" and "b"/],
    [['POOL=8', 'POOL=9'], /expected one value of POOL/],
  ]))
    assert.throws(() => readSide('--b', given), message, given.join(' '));
});

test('a side is called by what was given for it, and the folder as it is by the name of the system', () => {
  const label = (/** @type {string[]} */ ...given) => labelOfSide(readSide('--a', given), 'shop');
  assert.deepEqual([label(), label('POOL=8'), label('rev:v1.2')], ['shop', 'POOL=8', 'rev:v1.2']);
  assert.equal(label('POOL=8', 'a.yaml,b.yaml', 'rev:HEAD'), 'rev:HEAD, a.yaml,b.yaml, POOL=8');
});

test('the title says in words what is run, with the commit of a revision', () => {
  const title = (/** @type {string[]} */ ...given) => titleOfSide(readSide('--a', given), 'shop', COMMIT);
  assert.equal(title(), 'shop as it is');
  assert.equal(title('POOL=8,X=1'), 'shop with POOL=8, X=1');
  assert.equal(title('rev:v1.2', 'a.yaml'), 'shop at v1.2 (0123456), by a.yaml');
});

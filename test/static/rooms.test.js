/**
 * Imports go one way: a room of the lab uses those before it. What only types name is no import.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/define/paths.js';
import { succeed } from './command.js';

/** What each may import beside itself: rooms, and single modules of others that compute and touch nothing. @type {Record<string, string[]>} */
const MAY_IMPORT = {
  define: [],
  wire: ['define'],
  joins: ['define', 'wire'],
  waiting: ['define', 'wire', 'joins'],
  adapters: ['define', 'wire'],
  measure: ['define', 'wire', 'adapters'],
  capture: ['define', 'wire', 'adapters', 'measure'],
  attach: ['define', 'wire', 'adapters', 'measure', 'capture'],
  // Both say how k6's record is read.
  analyse: ['define', 'wire', 'joins', 'waiting', 'adapters', 'measure/k6-record.js', 'measure/k6-requests.js'],
  freeze: ['define', 'wire', 'joins', 'waiting', 'adapters', 'analyse', 'measure/k6-requests.js'],
  // The sums of its page.
  render: ['define', 'adapters', 'selftest/score.js', 'selftest/total.js'],
  experiment: ['define', 'measure', 'capture', 'attach', 'analyse', 'render', 'reports.js', 'calibrate.js'],
  selftest: ['define', 'adapters', 'measure', 'attach', 'analyse', 'render', 'reports.js', 'calibrate.js'],
  swarm: ['define', 'adapters', 'measure'],
  watch: ['render'],
  kubernetes: ['define', 'measure'],
  overhead: ['define', 'measure', 'capture', 'attach', 'analyse', 'calibrate.js'],
};

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
  .split('\n')
  .filter((file) => file.endsWith('.js') && !/\.test\.js$|\/fixtures\//.test(file));

/** What a text imports, below lab/. @param {string} file @param {string} text */
const importsOf = (file, text) =>
  [...text.matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)'/gm)]
    .map(([, path]) => posix.relative('lab', posix.join(posix.dirname(file), path)))
    .filter((path) => !path.startsWith('..'));

/** @param {string} file @param {string} text @returns {string[]} imports that its room may not have */
function wrongIn(file, text) {
  const room = file.split('/')[1];
  const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
  return importsOf(file, text).filter((path) => !allowed.some((own) => path === own || path.startsWith(`${own}/`)));
}

test('an import is seen, whatever stands before it, and one of a later room is wrong', () => {
  const text = "import { a } from '../define/a.js';\nimport {\n  b,\n} from '../../measure/b.js';\nexport { c } from './c.js';\n";
  assert.deepEqual(importsOf('lab/analyse/ledger/x.js', text), ['analyse/define/a.js', 'measure/b.js', 'analyse/ledger/c.js']);
  assert.deepEqual(wrongIn('lab/analyse/ledger/x.js', text), ['measure/b.js']);
  assert.deepEqual(wrongIn('lab/define/x.js', "import { b } from '../analyse/b.js';\n"), ['analyse/b.js']);
});

for (const room of Object.keys(MAY_IMPORT)) {
  test(`lab/${room} imports only from rooms before it`, () => {
    const own = files.filter((file) => file.startsWith(`lab/${room}/`));
    assert.ok(own.length > 1, 'there is such a room');
    const wrong = own.flatMap((file) => wrongIn(file, readFileSync(join(ROOT, file), 'utf8')).map((path) => `${file}: ${path}`));
    assert.deepEqual(wrong, []);
  });
}

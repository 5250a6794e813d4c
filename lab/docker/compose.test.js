import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtsIn, refusalOf } from './compose.js';

const WARNING = 'time="2026-11-22T06:00:00Z" level=warning msg="/shop/docker-compose.yml: `version` is obsolete"';
const UNSET = String.raw`time="2026-11-22T06:00:00Z" level=warning msg="The \"DB_PASSWORD\" variable is not set. Defaulting to a blank string."`;

test('a variable that must be set is named, with where to set it', () => {
  const all = `${WARNING}\nerror while interpolating services.web.environment.KEY: required variable SECRET_KEY is missing a value: see README`;
  const { problem, remedy } = refusalOf({ all });
  assert.equal(problem, 'The Compose file: expected a value of the variable SECRET_KEY; found none (see README).');
  assert.match(remedy, /^write SECRET_KEY=\.\.\. into "\.env"/);
  assert.match(refusalOf({ all: 'required variable KEY is missing a value' }).problem, /found none\.$/);
});

test('a file that is not there is named', () => {
  const named = (/** @type {string} */ all) => refusalOf({ all }).problem;
  assert.match(
    named('env file /shop/api.env not found: stat /shop/api.env: no such file or directory'),
    /"\/shop\/api\.env", which it names under env_file/,
  );
  assert.match(
    named('Failed to load /shop/.env: open /shop/.env: no such file or directory'),
    /"\/shop\/\.env", which it names under env_file/,
  );
  assert.match(
    named('open /shop/compose.prod.yaml: no such file or directory'),
    /^Expected the Compose file "\/shop\/compose\.prod\.yaml"/,
  );
});

test('a fault in the YAML is reported with its line', () => {
  const { problem, remedy } = refusalOf({ all: 'yaml: line 7: did not find expected key' });
  assert.match(problem, /expected YAML; Compose found a fault in it: yaml: line 7: did not find expected key\.$/);
  assert.match(remedy, /^correct that line/);
});

test('a service that only its profile brings in is hinted at', () => {
  assert.match(refusalOf({ all: 'service "web" depends on undefined service db: invalid compose project' }).remedy, /COMPOSE_PROFILES/);
});

test('where there is no Docker, or no Compose, no file is named', () => {
  for (const result of [{ code: 'ENOENT', shortMessage: 'spawn docker ENOENT' }, { all: "docker: 'compose' is not a docker command." }])
    assert.match(refusalOf(result).remedy, /^install Docker/);
  assert.match(refusalOf({ timedOut: true }).problem, /did not end in time/);
});

test('a key that this Compose does not know is named, with where it stands', () => {
  const { problem, remedy } = refusalOf({ all: 'validating /shop/compose.yaml: services.web Additional property models is not allowed' });
  assert.equal(problem, 'The Compose file, services.web: expected what this version of Compose knows; found "models".');
  assert.match(remedy, /newer Compose/);
});

test('whatever else it says is given as it is, without its warnings', () => {
  const words = 'validating /shop/compose.yaml: services.web.ports must be a list';
  assert.equal(refusalOf({ all: `${UNSET}\n${words}` }).problem, `docker compose config failed: ${words}`);
  assert.equal(refusalOf({ all: '', shortMessage: 'killed' }).problem, 'docker compose config failed: killed');
});

test('a doubt about a file that it takes is reported once, and what changes nothing is not', () => {
  assert.deepEqual(doubtsIn(`${WARNING}\n${UNSET}\n${UNSET}\n`), [
    'Compose: The "DB_PASSWORD" variable is not set. Defaulting to a blank string.',
  ]);
  assert.deepEqual(doubtsIn(''), []);
});

test('a file that is included and not there, a folder in its place, and a file of the first format are told', () => {
  const reported = (/** @type {string} */ all) => refusalOf({ all }).problem;
  assert.match(
    reported('stat /shop/sub/.env: no such file or directory'),
    /expected the file "\/shop\/sub\/\.env", which it or a file that it includes names/,
  );
  assert.match(reported('read /shop/web.env: is a directory'), /expected a file at "\/shop\/web\.env", which it names; found a folder/);
  assert.match(reported('(root) Additional property web is not allowed'), /expected "services" with all services in it; found "web"/);
  assert.match(reported('yaml: unmarshal errors:\n  line 3: mapping key "web" already defined'), /unmarshal errors: line 3: mapping key/);
});

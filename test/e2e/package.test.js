/**
 * The lab as a package: packed, installed into the folder of a user's own system, and used there by its name.
 */
import assert from 'node:assert/strict';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { EXIT } from '../../lab/define/errors.js';
import { ENV_FILE, RECORD, ROOT } from '../../lab/define/paths.js';
import {
  assertNothingIsLeft,
  assertRan,
  doubletake,
  machineImages,
  newestOwnRun,
  npxIn,
  RUN_LIMIT_MS,
  readManifest,
  readResult,
  start,
} from './front-door.js';

const timeout = 60_000;
const INSTALL = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const SHIPPED = [
  ...['app', 'compose', 'compose.yaml', 'docs/*.md', 'envoy', 'experiments', 'haproxy', 'k6', 'lab', 'nginx'],
  ...['LICENSE', 'README.md', 'package.json'],
];
/** Tests, what only they read, and what only the type checker and the editor read. */
const LEFT_OUT = /(^|\/)fixtures\/|\.test\.js$|\/tsconfig\.json$|\.d\.ts$/;

/** Every file and folder below one, with its size and the time of its last change. @param {string} folder */
async function stateOf(folder) {
  const entries = await readdir(folder, { recursive: true });
  const states = entries.sort().map(async (entry) => {
    const { size, mtimeMs } = await lstat(join(folder, entry));
    return `${entry} ${size} ${mtimeMs}`;
  });
  return Promise.all(states);
}

describe('the package', () => {
  let folder = '';
  let installed = '';
  /** @type {{ filename: string, files: { path: string, mode: number }[] }} */
  let packed;
  /** @type {string[]} */
  let state = [];
  /** @type {Record<string, string>} */
  let variables = {};

  /** @param {string} file @param {string[]} args @param {string} cwd @returns {Promise<string>} what it printed */
  const succeed = async (file, args, cwd) => {
    const { exitCode, all, stdout } = await start(file, args, { cwd });
    assert.equal(exitCode, 0, String(all));
    return String(stdout);
  };

  before(
    async () => {
      folder = await mkdtemp(join(os.tmpdir(), 'doubletake-package-'));
      installed = join(folder, 'node_modules', 'doubletake');
      await cp(join(ROOT, 'test/own'), folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
      // The commit of the repository around it is none of the lab's.
      await succeed('git', ['init', '--quiet'], folder);
      const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
      await succeed('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'Begin'], folder);
      [packed] = JSON.parse(await succeed('npm', ['pack', '--json', '--pack-destination', folder], ROOT));
      await succeed('npm', [...INSTALL, `./${packed.filename}`], folder);
      state = await stateOf(installed);
      variables = await machineImages();
    },
    { timeout },
  );
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await assertNothingIsLeft();
  });

  test('holds what the lab is made of, and neither tests nor what only they read', async () => {
    const listed = await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...SHIPPED], ROOT);
    const wanted = listed.split('\n').filter((file) => file !== '' && !/(^|\/)node_modules$/.test(file) && !LEFT_OUT.test(file));
    assert.deepEqual(packed.files.map(({ path }) => path).sort(), wanted.sort());
    for (const { path, mode } of packed.files) if (/\.sh$|^lab\/doubletake$/.test(path)) assert.ok(mode & 0o100, `${path} can be run`);
  });

  test('goes by the name that the README and docs/own-system.md call it by', async () => {
    for (const file of ['README.md', 'docs/own-system.md']) {
      const named = (await readFile(join(ROOT, file), 'utf8')).match(/doubletake-[\w.-]+\.tgz/g);
      assert.deepEqual([...new Set(named)], [packed.filename], file);
    }
  });

  test('names the images as the checkout does, in a file in the user’s cache', { timeout }, async () => {
    assert.equal((await doubletake(['images'])).exitCode, EXIT.done);
    const cache = join(folder, 'cache');
    const { exitCode, output } = await npxIn(folder, ['images'], { XDG_CACHE_HOME: cache });
    assert.equal(exitCode, EXIT.done, output);
    assert.equal(await readFile(join(cache, 'doubletake', 'images.env'), 'utf8'), await readFile(ENV_FILE, 'utf8'));
  });

  test('npx doubletake init writes what each service is taken for', { timeout }, async () => {
    const { exitCode, output } = await npxIn(folder, ['init'], variables);
    assert.equal(exitCode, EXIT.done, output);
    const project = parse(await readFile(join(folder, 'doubletake.yaml'), 'utf8'));
    assert.equal(project.entry, 'http://edge:8000/');
    assert.deepEqual(
      [project.services.edge.product, project.services.edge.tier, project.services.web.tier],
      ['nginx', 'load-balancer', 'app'],
    );
  });

  test('npx doubletake run runs a script of the user’s as it is, and says what it checked', { timeout: RUN_LIMIT_MS }, async () => {
    const path = join(folder, 'doubletake.yaml');
    const text = await readFile(path, 'utf8');
    const scripted = text.replace(/(edge: .*watch: )1/, '$12').replace(/load:[\s\S]*/, 'load:\n  script: load.js\n');
    await writeFile(path, scripted);
    // The folder is nobody's but its user's until it is said.
    const refused = await npxIn(folder, ['run'], variables);
    assert.deepEqual([refused.exitCode, /chmod o\+rX/.test(refused.output)], [EXIT.notReady, true], refused.output);
    await chmod(folder, 0o755);
    assertRan(await npxIn(folder, ['run'], variables));
    const run = await newestOwnRun(folder);
    const { metrics, ledger, notes, load_title: title, user_time: users } = await readResult(run);
    assert.match(title, /^load\.js, as it is: up to 15 users for 8 s/);
    assert.ok(metrics.requests > 100 && metrics.failures > 0);
    assert.deepEqual([...new Set(ledger.failures.map(({ service, cause }) => `${service} ${cause}`))], ['web app-error']);
    assert.ok(
      notes.some((note) => /answers with a good status failed a check of the script/.test(note)),
      notes.join(),
    );
    assert.ok(
      notes.some((note) => /not met: http_req_failed: rate<0\.001/.test(note)),
      notes.join(),
    );
    assert.ok(Number(users?.parts.find(({ id }) => id === 'thinking')?.share) > 0.5);
    assert.equal((await readManifest(run)).git, null);
  });

  test('npx doubletake list begins with the user’s own system and its runs', { timeout }, async () => {
    const { exitCode, output } = await npxIn(folder, ['list']);
    assert.equal(exitCode, EXIT.done, output);
    assert.match(output, /^Your own system .*\n {2}edge +load-balancer, nginx, watch 2: .*\n {2}web +app, node, watch /m);
    const [own, shipped] = output.split('\nArchitectures (');
    assert.ok(own.includes(`reports/${(await newestOwnRun(folder)).split('/').slice(-2).join('/')}`), own);
    assert.match(shipped, /^ {2}2a /m);
    // There is no Makefile.
    assert.ok(shipped.startsWith('doubletake run <id>)\n'), shipped);
  });

  test('npx doubletake report makes the report anew', { timeout }, async () => {
    const run = await newestOwnRun(folder);
    await rm(join(run, RECORD.report));
    const { exitCode, output } = await npxIn(folder, ['report', run]);
    assert.equal(exitCode, EXIT.done, output);
    assert.ok((await readFile(join(run, RECORD.report), 'utf8')).includes('http_req_failed'));
  });

  test('had nothing written into its folder by any of that', async () => {
    assert.deepEqual(await stateOf(installed), state);
  });
});

/**
 * More consent never makes an answer worse: of real runs the record is taken back, as if the lab had been allowed to read less of all services
 * or of one, and what is said then is where the whole record places it too, or nothing.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FROZEN } from '../define/paths.js';
import { placedRows } from './moves.js';
import { readRaw } from './read-raw.js';
import { resultOf } from './result.js';

const GENERATOR = 'generator';
const scratch = mkdtempSync(join(os.tmpdir(), 'doubletake-consent-'));
after(() => rmSync(scratch, { recursive: true }));

/** By place, of those that were followed: count and mechanism. @param {import('./moves.js').PlacedRow[]} rows */
const foundIn = (rows) =>
  new Map(rows.filter(({ from }) => from === 'waiting').map(({ place, why, count }) => [`${place}: ${why}`, count]));

/** @param {string} folder @param {string[]} services  of which only their containers were watched */
async function placedWithout(folder, services) {
  const copy = mkdtempSync(join(scratch, 'record-'));
  cpSync(folder, copy, { recursive: true });
  const path = join(copy, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const one of manifest.services.filter((/** @type {any} */ { service }) => services.includes(service))) {
    Object.assign(one, { watch: 0, product: 'opaque' });
    Object.assign(manifest.system.services[one.service], { watch: 0, product: 'opaque' });
    rmSync(join(copy, 'raw', one.name), { recursive: true, force: true });
  }
  writeFileSync(path, JSON.stringify(manifest));
  return placedRows(resultOf(await readRaw(copy)));
}

/** @param {string} folder @returns {string[]} */
const servicesIn = (folder) =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    .services.filter((/** @type {any} */ { tier }) => tier !== GENERATOR)
    .map((/** @type {any} */ { service }) => service);

for (const record of readdirSync(FROZEN)) {
  const folder = join(FROZEN, record);
  const services = servicesIn(folder);
  test(`${record}: what less consent names is what all of it names`, async () => {
    const whole = foundIn(placedRows(resultOf(await readRaw(folder))));
    for (const lowered of [services, ...services.map((service) => [service])])
      for (const [found, count] of foundIn(await placedWithout(folder, lowered)))
        assert.ok(
          (whole.get(found) ?? 0) >= count,
          `without the records of ${lowered.join(', ')}: ${count} ${found}; with all: ${[...whole.keys()].join('; ')}`,
        );
  });
}

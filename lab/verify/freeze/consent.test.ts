/**
 * More consent never makes an answer worse: of real runs the record is taken back, as if the lab had been allowed to read less of all services
 * or of one, and what is said then is where the whole record places it too, or nothing. Its reason may be how that of the whole record shows.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FROZEN, RECORD } from '../../base/paths.ts';
import { joinedOf, passedIn } from '../../diagnose/joins/joined.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import { placedIn } from '../../diagnose/placements.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import { explains, familyOf } from '../../diagnose/waiting/graph.ts';
import type { Mechanism } from '../../record/causes.ts';
import { unsealed } from '../fixtures/damage.ts';
import type { RecordFiles } from './files.ts';
import { readRecords, withFiles } from './files.ts';

const GENERATOR = 'generator';
/** Failures of systems of users, at full consent. */
const GROUP = 'cases';

/** By place and mechanism, of failures that were followed: how many. */
async function foundIn(files: RecordFiles) {
	const raw = await withFiles(files, readRaw);
	const window = windowOf(raw);
	assert.ok(window);
	const joined = raw.wire ? joinedOf(raw.wire) : null;
	const { waiting } = placedIn(gatherFacts(raw, window, joined === null ? null : passedIn(joined, window.from, raw.failures)), joined);
	return new Map(
		waiting?.findings.map(({ place: { service, edge }, mechanism, count }) => [
			`${service} ${edge === null ? '' : `(${edge.from} → ${edge.to})`}: ${mechanism}`,
			count,
		]),
	);
}

/** Whether one of the same place explains the other. */
function isWhy(one: string, other: string): boolean {
	const [[place, cause], [at, shown]] = [one.split(': '), other.split(': ')];
	return place === at && explains(familyOf(cause as Mechanism), familyOf(shown as Mechanism));
}

/** @param services of which only their containers were watched */
function without(files: RecordFiles, services: string[]) {
	const manifest = JSON.parse(files[RECORD.manifest]);
	const lowered = manifest.services.filter(({ service }: any) => services.includes(service));
	for (const one of lowered) {
		Object.assign(one, { watch: 0, product: 'opaque' });
		Object.assign(manifest.system.services[one.service], { watch: 0, product: 'opaque' });
	}
	const isLeft = (path: string) => !lowered.some(({ name }: any) => path.startsWith(join(RECORD.raw, name, '/')));
	return { ...Object.fromEntries(Object.entries(files).filter(([path]) => isLeft(path))), [RECORD.manifest]: JSON.stringify(manifest) };
}

const servicesIn = (files: RecordFiles): string[] =>
	JSON.parse(files[RECORD.manifest])
		.services.filter(({ tier }: any) => tier !== GENERATOR)
		.map(({ service }: any) => service);

for (const [record, unpack] of await readRecords(FROZEN, GROUP))
	test(`${record}: what less consent names is what all of it names`, async () => {
		const files = unsealed(unpack());
		const services = servicesIn(files);
		const whole = await foundIn(files);
		for (const lowered of [services, ...services.map((service) => [service])])
			for (const [found, count] of await foundIn(without(files, lowered)))
				assert.ok(
					[...whole].some(([named, times]) => times >= count && (named === found || isWhy(named, found))),
					`without the records of ${lowered.join(', ')}: ${count} ${found}; with all: ${[...whole.keys()].join('; ')}`,
				);
	});

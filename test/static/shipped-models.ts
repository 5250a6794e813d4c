/**
 * Every shipped system as Compose reads it, once for all tests that share a process.
 */
import { profileOf } from '../../lab/catalog/architectures.ts';
import { composeFileOf } from '../../lab/catalog/shipped-services.ts';
import { succeed } from './command.ts';

/** Profiles of what a run starts beside a system. */
export const OF_A_RUN = ['observe', 'load'];

/** @type {Map<string, Promise<string>>} by id */
const said = new Map();

/**
 * As the lab runs it: with what observes it and what makes its load.
 * @param {string} id  of an architecture
 * @returns {Promise<any>} the model that Compose makes of its file
 * @throws {Error} when Compose does not take it
 */
export async function modelOf(id) {
	if (!said.has(id)) {
		const profiles = [profileOf(id), ...OF_A_RUN].flatMap((profile) => ['--profile', profile]);
		said.set(id, succeed('docker', ['compose', '--file', composeFileOf(id), ...profiles, 'config', '--format', 'json']));
	}
	return JSON.parse(String(await said.get(id)));
}

/**
 * What of a model starts by some profiles.
 * @param {any} model
 * @param {string[]} profiles
 * @returns {any} the model with these services alone
 */
export function withProfiles(model, profiles) {
	const services = Object.entries(model.services).filter(([, service]) =>
		service.profiles.some((/** @type {string} */ profile) => profiles.includes(profile)),
	);
	return { ...model, services: Object.fromEntries(services) };
}

/**
 * Every shipped system as Compose reads it, once for all tests that share a process.
 */
import { profileOf } from '../../lab/catalog/architectures.ts';
import { composeFileOf } from '../../lab/catalog/shipped-services.ts';
import { succeed } from './command.ts';

/** Profiles of what a run starts beside a system. */
export const OF_A_RUN = ['observe', 'load'];

/** by id */
const said: Map<string, Promise<string>> = new Map();

/**
 * As the lab runs it: with what observes it and what makes its load.
 * @param id of an architecture
 * @returns the model that Compose makes of its file
 * @throws {Error} when Compose does not take it
 */
export async function modelOf(id: string): Promise<any> {
	if (!said.has(id)) {
		const profiles = [profileOf(id), ...OF_A_RUN].flatMap((profile) => ['--profile', profile]);
		said.set(id, succeed('docker', ['compose', '--file', composeFileOf(id), ...profiles, 'config', '--format', 'json']));
	}
	return JSON.parse(String(await said.get(id)));
}

/**
 * What of a model starts by some profiles.
 * @returns the model with these services alone
 */
export function withProfiles(model: any, profiles: string[]): any {
	const services = Object.entries<any>(model.services).filter(([, service]) =>
		service.profiles.some((profile: string) => profiles.includes(profile)),
	);
	return { ...model, services: Object.fromEntries(services) };
}

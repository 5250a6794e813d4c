/**
 * A system and what is said of it, in the folder that describes it: that of an architecture is found by its name, that of a user's is the one in
 * which a command is called. And whether that still fits the Compose files and the adapters: either may have changed since it was written.
 */

import { relative } from 'node:path';
import type { Adapter, OverlayPart } from '../adapters/contract.ts';
import { wayOfTiers } from '../adapters/observed-system.ts';
import { adapterFor } from '../adapters/registry.ts';
import { NotReadyError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { ROOT } from '../base/paths.ts';
import { ownOf } from '../base/values.ts';
import { architectures, nameOfFolder, scenarioOf } from '../catalog/architectures.ts';
import { readProject } from '../catalog/project-file.ts';
import { PROJECT_FILE, type Project } from '../catalog/project-schema.ts';
import { composeFileOf, servicesIn } from '../catalog/shipped-services.ts';
import type { AttachedService } from './compose-model.ts';
import { OPAQUE } from './detect.ts';
import { partOf } from './project-part.ts';

export type Described = {
	/** which its runs lie under */
	name: string;
	/** from which its Compose files are named, absolute */
	folder: string;
	project: Project;
};

/** @throws {import('../base/errors.ts').NotReadyError} when it describes none, or the description is at fault */
export async function describedIn(folder: string, asked?: Parameters<typeof readProject>[1]): Promise<Described> {
	const name = nameOfFolder(folder);
	return Object.hasOwn(architectures, name) ? describedAs(name) : { name, folder, project: await readProject(folder, asked) };
}

/** @param id of an architecture */
export const describedAs = (id: string): Described => ({ name: id, folder: ROOT, project: projectOf(id) });

/**
 * The system of a run, to be measured again.
 * @param name of the system, as its run has it
 * @param folder in which the command was given
 * @throws {NotReadyError} when it is neither that of the folder nor one that Doubletake brings along
 */
export async function describedAgain(name: string, folder: string): Promise<Described> {
	if (Object.hasOwn(architectures, name)) return describedAs(name);
	const here = nameOfFolder(folder);
	if (here === name) return { name, folder, project: await readProject(folder) };
	throw new NotReadyError(
		`prove: expected a run of ${here}, the system of this folder; found one of ${name}.`,
		'give the command in the folder of that system.',
	);
}

/** Its services are what their labels say, and who asks whom follows from their tiers where its own file does not say it. */
function projectOf(id: string): Project {
	const { title, question, remedies, entry = '', edges, published } = architectures[id];
	const labelled = Object.entries(servicesIn(composeFileOf(id))).map(([service, { labels }]) => {
		const [name, tier, product] = ['name', 'tier', 'product'].map((label) => labels[`doubletake.${label}`]);
		return {
			service,
			name,
			tier,
			product: product ?? adapterFor({ name, tier })?.product ?? '',
			watch: Number(labels['doubletake.watch'] ?? 0),
		};
	});
	return {
		...{ title, question, remedies, entry, published },
		compose: [relative(ROOT, composeFileOf(id))],
		services: Object.fromEntries(labelled.map(({ service, tier, product, watch }) => [service, { tier, product, watch } as any])),
		edges: edges ?? wayOfTiers(labelled.map(({ service, tier }) => ({ name: service, tier }))).edges,
		hosts: Object.fromEntries(labelled.map(({ service, name }) => [name, `http://${service}:80/`])),
		load: { scenario: scenarioOf(id) },
	};
}

const WITH_PROFILE = '; one with a profile is there when COMPOSE_PROFILES names that';

/**
 * @param without services that a run leaves out
 * @returns a sentence for each thing that is worth knowing, and no fault
 * @throws {NotReadyError} naming the first thing that does not fit
 */
export function checkProject(project: Project, models: AttachedService[], adapters: Adapter[], without: string[] = []): string[] {
	const names = models.map(({ service }) => service);
	const products = [OPAQUE, ...adapters.map(({ product }) => product).filter((product) => product !== OPAQUE)];
	for (const [service, { product, watch }] of Object.entries(project.services)) {
		const model = models.find((candidate) => candidate.service === service);
		if (!model) throw refusal('services', names, service, WITH_PROFILE);
		if (!products.includes(product)) throw refusal(`services.${service}.product`, products, product);
		const levels = (adapters.find((adapter) => adapter.product === product)?.watches(model) ?? []).map(({ level }) => level);
		if (watch > 0 && !levels.some((level) => level === watch))
			throw refusal(`services.${service}.watch`, [...new Set([0, ...levels])].map(String), String(watch));
	}
	return names
		.filter((service) => !Object.hasOwn(project.services, service) && !without.includes(service))
		.map((service) => `${service} is not in ${PROJECT_FILE}: it is watched, but no request is taken to pass it.`);
}

function refusal(at: string, known: string[], found: string, hint: string = ''): NotReadyError {
	const meant = nearest(found, known);
	const remedy = meant === null ? 'correct it, or leave it out' : `write "${meant}" instead of "${found}"`;
	return new NotReadyError(`${PROJECT_FILE}, ${at}: expected one of ${known.join(', ')}; found "${found}".`, `${remedy}${hint}.`);
}

/**
 * A variable that the overlay gives takes the place of the image's own, so that an adapter which adds to one has to know what is there; and an
 * image is only known when it is built or pulled.
 * @param environmentOf its image's
 * @returns the parts, those that give variables with what the images have of them
 */
export async function withImageEnvironment(
	{ models, project, parts }: { models: AttachedService[]; project: Project; parts: Record<string, OverlayPart> },
	environmentOf: (model: AttachedService) => Promise<Record<string, string>>,
): Promise<Record<string, OverlayPart>> {
	const reported = await Promise.all(
		models
			.filter(({ service }) => ownOf(parts, service)?.environment)
			.map(async (model) => {
				const environment = { ...(await environmentOf(model)), ...model.environment };
				return [model.service, { ...parts[model.service], environment: partOf({ ...model, environment }, project).environment }];
			}),
	);
	return { ...parts, ...Object.fromEntries(reported) };
}

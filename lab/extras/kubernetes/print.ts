/**
 * The command `kubernetes`: a system and its load as manifests, for who has a cluster.
 */
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { oneOf } from '../../base/format-command.ts';
import type { Reporter } from '../../base/progress.ts';
import { filesIn } from '../../base/sources.ts';
import { architectures, profileOf, scenarioOf } from '../../catalog/architectures.ts';
import { scriptOf, shapeOf } from '../../catalog/scenarios.ts';
import { baseImages } from '../../catalog/shipped-services.ts';
import { readConfig } from '../../docker/compose.ts';
import { architectureSystem } from '../../docker/containers.ts';
import { acceptedBy, refuseAllBut } from '../../options/accepted-options.ts';
import { readSettings } from '../../options/settings.ts';
import { manifestsOf, NAMESPACE } from './manifests.ts';

const LOAD_PROFILE = 'load';
const APP_IMAGE = 'APP_IMAGE';

/**
 * Prints them.
 * @param env LOAD, GENERATORS and others, as for a run
 * @returns exit code
 * @throws {NotReadyError} when there is no such architecture, or Compose cannot be asked
 */
export async function printManifests(architecture: string, env: Record<string, string | undefined>, reporter: Reporter): Promise<number> {
	const id = oneOf('architecture', architecture, Object.keys(architectures));
	const { entry } = architectures[id];
	if (entry === undefined)
		throw new NotReadyError(
			`architecture: expected one that a load generator asks; found "${id}", whose load is a program of its own.`,
			'choose another one.',
		);
	const settings = readSettings(id, env);
	refuseAllBut(`the manifests of ${id}`, acceptedBy('kubernetes', id), env);
	const scenario = scenarioOf(id);
	const model = await readConfig(architectureSystem(id, [profileOf(id), LOAD_PROFILE]), {
		...imagesIn(env),
		...settings.variables,
		TARGET: entry,
		...scriptOf(scenario),
		SHAPE: shapeOf(scenario, settings.load),
		RATE: settings.rate === null ? '' : String(settings.rate),
		USERS: settings.users === null ? '' : String(settings.users),
		SEED: String(settings.seed),
	});
	const found = manifestsOf(model, { filesIn, read: (file) => readFileSync(file, 'utf8'), generators: settings.generators });
	reporter.tell(
		`${headOf(id, found)}${found.manifests.map((manifest) => stringify(manifest, { blockQuote: 'literal', lineWidth: 0 })).join('---\n')}`,
	);
	reporter.give({ result: found });
	return EXIT.done;
}

/** Those of the registry, unless the environment names others: what this machine built, a cluster has not. */
const imagesIn = (env: Record<string, string | undefined>): Record<string, string> =>
	Object.fromEntries([APP_IMAGE, ...Object.values(baseImages).map(({ variable }) => variable)].map((name) => [name, env[name] ?? '']));

/** What its reader has to know, in comments. */
function headOf(id: string, { manifests, ignored }: ReturnType<typeof manifestsOf>) {
	const places = [...new Set(manifests.flatMap(({ spec }) => Object.keys(selectorOf(spec))))];
	const fields = [...new Set(ignored.map(({ field }) => field))];
	const lines = [
		`${id} and its load, made of its Compose file by "doubletake kubernetes ${id}". Checked against the schemas, never run by Doubletake.`,
		`In a cluster with the k6-operator: kubectl apply --filename <this>; kubectl --namespace ${NAMESPACE} get testrun --watch`,
		'Each tier runs on the nodes that have its label:',
		...places.map((label) => `  kubectl label node <node> ${label}=yes`),
		...(fields.length > 0 ? ['Left out of the Compose file:'] : []),
		...fields.map((field) => {
			const of = ignored.filter((one) => one.field === field);
			return `  ${field} of ${of.map(({ service }) => service).join(', ')}: ${of[0].why}`;
		}),
	];
	return lines.map((line) => `# ${line}\n`).join('');
}

const selectorOf = (spec: any): Record<string, string> => spec?.template?.spec?.nodeSelector ?? spec?.runner?.nodeSelector ?? {};

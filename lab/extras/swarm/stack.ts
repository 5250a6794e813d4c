/**
 * The command `stack`: a system as Docker Swarm takes it, for who runs one on several hosts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { stringify } from 'yaml';
import { EXIT } from '../../base/errors.ts';
import { oneOf } from '../../base/format-command.ts';
import { ENV_FILE } from '../../base/paths.ts';
import type { Reporter } from '../../base/progress.ts';
import { filesIn } from '../../base/sources.ts';
import { architectures, profileOf } from '../../catalog/architectures.ts';
import { readConfig } from '../../docker/compose.ts';
import { architectureSystem } from '../../docker/containers.ts';
import { placeLabelOf, YES } from './placement.ts';
import { stackOf } from './stack-file.ts';

/**
 * Prints it.
 * @returns exit code
 * @throws {import('../../base/errors.ts').NotReadyError} when there is no such architecture, or Compose cannot be asked
 */
export async function printStack(architecture: string, reporter: Reporter): Promise<number> {
	const id = oneOf('architecture', architecture, Object.keys(architectures));
	const model = await readConfig(architectureSystem(id, [profileOf(id)]), imagesHere());
	const found = stackOf(model, { filesIn, read: (file) => readFileSync(file, 'utf8') });
	reporter.tell(`${headOf(id, found)}${stringify(found.stack)}`);
	reporter.give({ result: found });
	return EXIT.done;
}

/** Names of the images that this machine got or built, where it has. */
const imagesHere = (): Record<string, string> =>
	existsSync(ENV_FILE) ? (parseEnv(readFileSync(ENV_FILE, 'utf8')) as Record<string, string>) : {};

/** What its reader has to know, in comments. */
function headOf(id: string, { stack, ignored }: ReturnType<typeof stackOf>) {
	const places = [...new Set(Object.values<any>(stack.services).map(placeLabelOf))];
	const fields = [...new Set(ignored.map(({ field }) => field))];
	const lines = [
		`${id}, made of its Compose file by "doubletake stack ${id}". Deploy it on a manager of the Swarm:`,
		`  doubletake stack ${id} | docker stack deploy --resolve-image never --compose-file - doubletake`,
		'Each tier runs on the hosts that have its label:',
		...places.map((label) => `  docker node update --label-add ${label}=${YES} <host>`),
		...(fields.length > 0 ? ['A stack ignores, of the Compose file:'] : []),
		...fields.map((field) => {
			const of = ignored.filter((one) => one.field === field);
			return `  ${field} of ${of.map(({ service }) => service).join(', ')}: ${of[0].why}`;
		}),
	];
	return lines.map((line) => `# ${line}\n`).join('');
}

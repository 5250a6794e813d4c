/**
 * Whether a variable changes anything about what Compose makes of the files. Compose is asked, and its files are not searched for the
 * name: a value may come in by `include`, by `extends`, or under `environment` by its name alone.
 */

import { NotReadyError } from '../base/errors.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { acceptedByArm } from '../options/accepted-options.ts';
import type { GivenArm } from '../options/arms.ts';

/** @throws {NotReadyError} naming the first variable that changes nothing */
export async function refuseIdleVariables({
	arm: { option, variables },
	files,
	resolved,
}: {
	arm: GivenArm;
	/** of Compose */
	files: string[];
	/** what Compose makes of the files under these variables; null where it refuses them */
	resolved: (variables: Record<string, string>) => Promise<string | null>;
}) {
	const asGiven = await resolved(variables);
	for (const [name, value] of Object.entries(variables)) {
		// One of the same kind, where it is a number; and none, for files that only ask whether there is one.
		const others = await Promise.all([`${value}0`, ''].map((other) => resolved({ ...variables, [name]: other })));
		if (others.every((other) => other === asGiven))
			throw new NotReadyError(
				`${option}: expected a variable that ${files.join(', ')} ${files.length === 1 ? 'reads' : 'read'}; ${name} changes nothing about what is run.`,
				acceptedByArm(LISTED).includes(name)
					? `write .:${name}=${value}, which is Doubletake’s option of that name.`
					: `correct the name, or write \${${name}} in the file where its value is to stand.`,
			);
	}
}

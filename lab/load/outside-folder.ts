/**
 * What doubletake.yaml and its k6 script name outside of their folder, and where records of the folder would be written. A folder may come from others: what leaves it, by a path or by a link, needs
 * a word of whoever calls the command, and so does a variable of the shell that a header takes. Everything is said at once, before anything starts.
 */

import { dirname, resolve } from 'node:path';
import { isSomethingAt, readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';
import { REPORTS } from '../base/paths.ts';
import { variablesOf } from '../catalog/project-problems.ts';
import type { Project } from '../catalog/project-schema.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import type { Allowed } from '../options/allowed.ts';
import { NOTHING } from '../options/allowed.ts';
import { follow, isWithin, waysOf } from '../target/real-path.ts';
import { attachScript } from './wrapper.ts';

type Outside = {
	/** the file with its line, or the entry */
	where: string;
	/** as it is named */
	path: string;
	/** where it leads */
	real: string;
};

/** @returns path: without links */
export const isAllowedBy =
	({ paths }: Allowed): ((path: string) => boolean) =>
	(path) =>
		paths.some((one) => isWithin(path, one));

/** @throws {NotReadyError} naming all that lies elsewhere and is not allowed */
export function refuseOutside({
	folder,
	project,
	allowed = NOTHING,
	place = { folder, root: folder },
	reports = REPORTS,
}: {
	/** of doubletake.yaml, absolute */
	folder: string;
	project: Pick<Project, 'compose' | 'load' | 'data'>;
	allowed?: Allowed;
	/** where the Compose files lie, where that is another checkout */
	place?: { folder: string; root: string };
	/** folder of them, which may be a link */
	reports?: string;
}) {
	const { compose, load, data = {} } = project;
	const said = (entry: string) => `${PROJECT_FILE}, ${entry}`;
	const live = Object.keys(data).filter((name) => data[name] === 'live');
	const own = insideOf(folder, allowed);
	const outside = [
		// One beside the folder its user has chosen.
		...(isWithin(follow(dirname(reports)).real, follow(folder).real) ? own(reports, { from: '/', where: 'the reports' }) : []),
		...compose.flatMap((path) => insideOf(place.root, allowed)(path, { from: place.folder, where: said('compose') })),
		...live.flatMap((path) => own(path, { from: folder, where: said('data') })),
		...(load.openapi === undefined ? [] : own(load.openapi, { from: folder, where: said('load.openapi') })),
		...(load.script === undefined ? [] : outsideOfScript(load.script, { folder, allowed })),
	];
	refuseAll(outside, folder);
}

/**
 * @param script as doubletake.yaml names it
 * @returns the script, and what it imports and opens by names that stand in it
 */
function outsideOfScript(script: string, { folder, allowed }: { folder: string; allowed: Allowed }): Outside[] {
	const own = insideOf(folder, allowed);
	const entry = resolve(folder, script);
	const itself = own(script, { from: folder, where: `${PROJECT_FILE}, load.script` });
	// What it names nobody looks for before it is allowed itself.
	if (itself.length > 0) return itself;
	const { references } = attachScript({ entry, read: (path) => (own(path, { from: '/', where: '' }).length > 0 ? '' : readText(path)) });
	// What is not there nobody is given; a text behind "resolve(" need not be a path.
	const named = references.filter(({ path }) => isSomethingAt(path));
	return named.flatMap(({ path, from, line }) => own(path, { from: '/', where: `${from}, line ${line}` }));
}

/** @returns none where it lies in the folder, or is allowed */
function insideOf(folder: string, allowed: Allowed): (path: string, seen: { from: string; where: string }) => Outside[] {
	const { real: home } = follow(folder);
	const isAllowed = isAllowedBy(allowed);
	return (path, { from, where }) => {
		const away = waysOf(path, { from }).find(({ real, state }) => state === 'endless' || !(isWithin(real, home) || isAllowed(real)));
		return away === undefined ? [] : [{ where, path, real: away.real }];
	};
}

function refuseAll(outside: Outside[], folder: string): void {
	if (outside.length === 0) return;
	const each = outside.map(
		({ where, path, real }) => `\n    ${where}: ${JSON.stringify(path)}${path === real ? '' : `, which leads to ${JSON.stringify(real)}`}`,
	);
	const flags = [...new Set(outside.map(({ real }) => `--allow=${shellWord(real)}`))];
	throw new NotReadyError(
		`${PROJECT_FILE}: expected nothing outside of its folder, ${folder}; found:${each.join('')}`,
		`bring it into the folder; or, if you know that it is meant, add ${flags.join(' ')} to the command.`,
	);
}

/**
 * @param headers as doubletake.yaml has them
 * @throws {NotReadyError} naming the variables that were not allowed
 */
export function refuseVariables(headers: Record<string, string> | undefined, allowed: Allowed) {
	const open = variablesOf(headers).filter(({ variable }) => !allowed.variables.includes(variable));
	if (open.length === 0) return;
	const each = open.map(({ header, variable }) => `${variable} (by the header ${header})`);
	const flags = [...new Set(open.map(({ variable }) => `--allow-variable=${variable}`))];
	throw new NotReadyError(
		`${PROJECT_FILE}, load.headers: expected no variable of this shell that you have not allowed; found ${each.join(', ')}.`,
		`add ${flags.join(' ')} to the command, if its value may be sent with each request; or call it at a terminal, where you are asked once.`,
	);
}

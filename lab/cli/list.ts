/** The command `list`: what can be run, and what was. A user's own system stands before those that the lab brings along. */

import { EXIT } from '../base/errors.ts';
import { formatCommand, formatProjectCommand } from '../base/format-command.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import type { Reporter } from '../base/progress.ts';
import { architectures, nameOfFolder } from '../catalog/architectures.ts';
import { budgets, DEFAULT_BUDGET } from '../catalog/budgets.ts';
import { experiments } from '../catalog/experiments.ts';
import { projectIn } from '../catalog/project-file.ts';
import type { Project } from '../catalog/project-schema.ts';
import { scenarios, shapes } from '../catalog/scenarios.ts';
import { aboutOption, effectOf, OPTION_NAMES } from '../options/accepted-options.ts';
import { aboutVariable, OPTIONS } from '../options/options.ts';
import { wordOf } from '../record/touches.ts';
import { readResults } from '../report/reports.ts';
import { columns, wrapped } from './columns.ts';
import { aboutLoad, aboutServices } from './list-project.ts';

/** a name, and what is to be said of it */
export type Row = [string, string];

type Section = { title: string; rows: Row[] };

type Found = {
	/** the user's own system */
	project: Project | null;
	/** what its runs lie under */
	name: string;
	/** newest first */
	runs: Awaited<ReturnType<typeof readResults>>;
};

/**
 * @param folder in which the command was given
 * @returns exit code
 * @throws {NotReadyError} when there is a doubletake.yaml in it that is at fault
 */
export async function list(folder: string, reporter: Reporter): Promise<number> {
	const skipped: string[] = [];
	const runs = await readResults(({ problem }) => skipped.push(problem));
	const found = { project: await projectIn(folder), name: nameOfFolder(folder), runs };
	reporter.tell(describeList(found));
	if (skipped.length > 0) reporter.tell(`\n${formatSection({ title: 'Not listed', rows: skipped.map((problem): Row => ['!', problem]) })}`);
	reporter.give({ result: listed(found) });
	return EXIT.done;
}

/** The same as data. */
const listed = ({ project, runs }: Pick<Found, 'project' | 'runs'>) => ({
	project,
	architectures: Object.entries(architectures).map(([id, { title, question, variables = {} }]) => ({ id, title, question, variables })),
	experiments: Object.entries(experiments).map(([id, { title, question }]) => ({ id, title, question })),
	loads: loadsOfAll(),
	budgets: Object.entries(budgets).map(([id, { title }]) => ({ id, title })),
	runs: runs.map(({ path, result: { started, validity, headline } }) => ({ folder: `reports/${path}`, started, validity, headline })),
});

/** Of every scenario. */
const loadsOfAll = () =>
	Object.entries(scenarios).flatMap(([scenario, { loads }]) =>
		Object.entries(loads).map(([id, shape]) => ({ id, scenario, title: shapes[shape]({}).title })),
	);

/** @returns for a terminal, with the end of its last line */
function describeList({ project, name, runs }: Found): string {
	const isOwn = (path: string) => project !== null && path.startsWith(`${name}/`);
	const own = runs.filter(({ path }) => isOwn(path));
	const others = runs.filter(({ path }) => !isOwn(path));
	return [
		...(project === null ? [] : projectSections(project, own)),
		...shippedSections(),
		{ title: 'Runs, newest first', rows: others.map(runRow) },
	]
		.filter(({ rows }) => rows.length > 0)
		.map(formatSection)
		.join('\n');
}

const projectSections: (project: Project, runs: Awaited<ReturnType<typeof readResults>>) => Section[] = (
	{ title, question, services, load, variables = {} },
	runs,
) => [
	{
		title: [
			`Your own system (${formatProjectCommand(['run'])}), as doubletake.yaml has it`,
			...(title ? [title] : []),
			...(question ? [question] : []),
		].join('. '),
		rows: aboutServices(services),
	},
	{
		title: `Its variables (${formatProjectCommand(['compare', '--a', 'NAME=value', '--b', 'NAME=value'])})`,
		rows: Object.entries(variables).map(([name, variable]) => [name, aboutVariable(variable)]),
	},
	{ title: 'Its load', rows: [aboutLoad(load)] },
	{ title: 'Its runs, newest first', rows: runs.map(runRow) },
];

const runRow: (run: Awaited<ReturnType<typeof readResults>>[number]) => Row = ({ path, result: { validity, headline } }) => [
	`reports/${path}`,
	`${wordOf(validity)}. ${headline}`,
];

const shippedSections = (): Section[] => [
	{
		title: `Architectures (${formatCommand(['run', '<id>'])})`,
		rows: Object.entries(architectures).map(([id, { title, question }]) => [id, `${title}. ${question}`]),
	},
	{
		title: `Variables of architectures (${formatCommand(['run', '<id>'], ['NAME=value'])})`,
		rows: OPTION_NAMES.filter((name) => OPTIONS[name].scope.systems).map((name) => [name, `${aboutOption(name)}; ${effectOf(name)}`]),
	},
	{
		title: `Experiments (${formatCommand(['experiment', '<id>'])}; ${formatCommand(['experiment', 'all'])} for all that have claims)`,
		rows: Object.entries(experiments).map(([id, { title, question }]) => [id, `${title}. ${question}`]),
	},
	{
		title: 'Loads (LOAD=<id>), each with its scenario; that of your own system is requests',
		rows: loadsOfAll().map(({ id, scenario, title }) => [`${id} (${scenario})`, title]),
	},
	{
		title: 'Budgets (BUDGET=<id>)',
		rows: Object.entries(budgets).map(([id, { title }]) => [id, id === DEFAULT_BUDGET ? `${title} (unless another is given)` : title]),
	},
];

const formatSection = ({ title, rows }: Section) =>
	`${wrapped(lineWithCodes(title))}\n${columns(rows.map(([name, about]) => [lineWithCodes(name), lineWithCodes(about)]))}`;

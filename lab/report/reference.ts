/** The pages of docs/ that are made from the lab's own tables, so that they cannot differ from what the lab does. */

import type { ServiceModel } from '../adapters/contract.ts';
import { everyAdapter } from '../adapters/registry.ts';
import { EXIT } from '../base/errors.ts';
import { grouped } from '../base/values.ts';
import { architectures } from '../catalog/architectures.ts';
import { budgets } from '../catalog/budgets.ts';
import { metrics } from '../catalog/metrics.ts';
import { scenarios, shapes } from '../catalog/scenarios.ts';
import { aboutOption, effectOf, OPTION_NAMES, REFUSABLE } from '../options/accepted-options.ts';
import { FORMS } from '../options/fault-plan.ts';
import { causes } from '../record/causes.ts';
import { ALL_STATEMENTS, STATEMENTS, TOUCHES } from '../record/touches.ts';
import type { ClaimFinding, ExperimentArm, ExperimentResult, Findings } from '../record/types.js';
import { listedCounts, tallied } from '../record/verdict-counts.ts';
import type { Unit } from '../stats/metric.ts';
import { pricesOf } from './experiment/finding.ts';
import { extremes } from './experiment/words.ts';
import { count, FORMATS, MISSING, numeric, tierTitle } from './format.ts';
import { escapeMarkdown, Markdown, type MarkdownContent, markdown, markdownCode, markdownTable } from './html.ts';
import { endOf, startOf } from './marked.ts';

type Content = MarkdownContent;

const UNITS: Record<Unit, string> = { rps: 'a second', share: '0 to 1', ms: 'ms', count: 'number', mb_per_s: 'MB/s' };

const OPTION_HEADS = ['option', 'value', 'has an effect'];

const EXITS: Record<keyof typeof EXIT, string> = {
	done: 'done, and every threshold is met: a run that measured and wrote its report, whatever is in doubt about it',
	failed:
		'a run finished no request, or left no record of them; every run of a comparison or an experiment is INVALID; a fault of the self-test was not found; the analysis of a stored record failed; the hold-out check of a capacity plan fails',
	notReady:
		'usage is wrong, or the machine is not ready: the message says what was expected, what was found and what to do; or all was measured, and something of the stack could not be taken down',
	thresholdNotMet: 'a threshold is not met, of a limit at the lowest level already, or Doubletake costs more than it may',
	inDoubt:
		'with `STRICT=1`, every threshold is met and a figure that one of them reads is in doubt; without thresholds, anything in the run is',
	worse: 'a comparison found what `FAIL_ON` says: a metric that is worse; with `BASELINE` any, unless it says otherwise',
	inconclusive:
		'the verdict that `FAIL_ON` asks for is INCONCLUSIVE, or a metric that it names has no figure; a comparison with a baseline could not be judged; a proof or a search for a limit decided nothing',
	notShown: 'a proof could not be begun: no copy as it was showed the failures of the run again',
	interrupted: 'interrupted; what was measured is kept',
};

/** @returns rules of the validity that move the same in one row */
function doubtRows(): Content[][] {
	const alike = grouped(Object.entries(TOUCHES), ([, kinds]) => kinds.join());
	return [...alike.values()].map((rules) => {
		const kinds = rules[0][1];
		const what = kinds.length === ALL_STATEMENTS.length ? 'everything' : kinds.map((kind) => STATEMENTS[kind]).join(', ');
		return [written(rules.map(([rule]) => `\`${rule}\``).join(', ')), what];
	});
}

/**
 * @param makefile whose lines `#:   make <target>   <what it does>` are its help; those of the short one begin with `#::`
 * @returns docs/reference.md
 */
export const referencePage = (makefile: string): string =>
	[
		'# Reference',
		'Made by `make docs` from the tables in [lab/catalog](../lab/catalog), [lab/options](../lab/options) and [lab/record](../lab/record); a test fails when it is stale.',
		...section('Commands', ['command', 'what it does'], commandsOf(makefile)),
		'In the folder of a system of your own the commands are `doubletake init`, `run`, `limit`, `compare`, `selftest`, `bench-overhead`, `list`, `open`, `replay` and `export`: see [own-system.md](own-system.md).',
		'What a shell can complete of a command line of `doubletake`, options and their values included, it does after `eval "$(doubletake completion bash)"` in `~/.bashrc`, the same with `zsh` in `~/.zshrc`, or `doubletake completion fish | source`.',
		...section('Architectures', ['`make run-<id>`', 'what it is', 'what it asks'], architectureRows()),
		...section('Options', OPTION_HEADS, optionRows(REFUSABLE)),
		'`make run-a LOAD=smoke`, `doubletake run a --load smoke`, `doubletake run a LOAD=smoke` and `LOAD=smoke doubletake run a` are the same. The flag of an option is its name in small letters, with dashes; behind that of a switch 1 may be left out.',
		'A name that is none of these is refused where it is typed to `make` or to `doubletake`, with the one that was likely meant.',
		'Any of these is refused where it would change nothing about what is run. These are not:',
		table(OPTION_HEADS, optionRows(OPTION_NAMES.filter((name) => !REFUSABLE.includes(name)))),
		...section(
			'Faults',
			['`FAULT`', 'what becomes of its container'],
			Object.values(FORMS).map(({ spelt, about }) => [markdownCode(spelt), written(about)]),
		),
		'Several have semicolons between them; `@` is the second of the load, `+` how long it lasts. `cut`, `loss` and `delay` need root, nsenter and ip on the machine that runs the containers, `loss` iptables, `delay` tc and a kernel with netem.',
		...section('Loads', ['`LOAD`', 'of', 'what it is'], loadRows()),
		'Those of `requests` are of your own system: their users are what `USERS` or `doubletake.yaml` says, and their rate is what `RATE` says.',
		...section(
			'Budgets',
			['`BUDGET`', 'what it is'],
			Object.entries(budgets).map(([id, { title }]) => [markdownCode(id), title]),
		),
		'The generator never has a quota, and is served first.',
		...section('Products', ['`product`', '`watch`', 'the report can say', 'needs'], productRows()),
		'Level 0, the container alone, is there for all. What 2 and 3 change is said, and only done where `doubletake.yaml` says so.',
		...section('Metrics', ['id', 'unit', 'what it is', 'better'], metricRows()),
		'A metric that could not be measured meets no threshold. Of one that is in doubt the threshold is judged, and the doubt stands beside the verdict; `STRICT=1` makes it an exit code. Of a run that measured nothing no threshold is judged.',
		...section(
			'Exit codes',
			['code of `lab/doubletake`', 'means'],
			Object.entries(EXIT).map(([name, code]) => [String(code), written(EXITS[name as keyof typeof EXIT])]),
		),
		'`make` turns each failure into its own 2.',
		'## Export',
		'`doubletake export <folder of a run> --csv FILE` writes the timeline and the series of `result.json` in long form: `t_s`, `series`, `tier`, `service`, `value`, `unit`; `t_s` is negative in the warm-up, tier and service are empty where a figure is of the whole system. `--otlp FILE` writes the same as OpenTelemetry gauges, in the JSON that a collector takes at `/v1/metrics`; each point has the attributes `run`, `tier` and `service`.',
		...section('JSON', ['`doubletake ... --json`', '`result`', 'beside it'], jsonRows()),
		'With `--json` standard output has one JSON object and nothing else; words go to standard error, and exit codes are the same. An error takes the place of the result: `{"error": {"message": ..., "expected": ..., "found": ..., "do": ...}}`, the last three where it says so. An interrupted command gives what it had found until then, or an error. No word has a colour, with `NO_COLOR` or without.',
		...section(
			'Causes',
			['cause', 'in words', 'when a failed request is placed there'],
			Object.entries(causes).map(([id, { title }]) => [
				markdownCode(id),
				title,
				saidOnce(id, Object.keys(causes), (one) => causes[one].rule),
			]),
		),
		'How well these rules do is in [diagnosis.md](diagnosis.md).',
		...section('Doubts', ['rule', 'what a doubt of it can move'], doubtRows()),
		'The rules are in [lab/diagnose/validity](../lab/diagnose/validity). What a rule is not said to move stands.',
	]
		.map((part) => `${part.trimEnd()}\n`)
		.join('\n');

/** A service of which nothing is known but its image. */
const plainService = (image: string): ServiceModel => ({
	service: image,
	image,
	command: [],
	environment: {},
	ports: [],
	dependsOn: [],
	mounts: [],
	networks: [],
	replicas: 1,
});

const productRows = (): Content[][] =>
	everyAdapter.flatMap(({ product, watches }) =>
		watches(plainService(product))
			.filter(({ level }) => level > 0)
			.map(({ level, gives, needs = '' }) => [markdownCode(product), String(level), gives, needs]),
	);

const section: (title: string, heads: string[], rows: Content[][]) => string[] = (title, heads, rows) => [
	`## ${title}`,
	table(heads, rows),
];

const table: (heads: string[], rows: Content[][]) => string = (heads, rows) => markdownTable(heads.map(written), rows);

/** A text of the lab's own tables, in which backquotes stand for code. */
const written = (text: string) =>
	new Markdown(
		text
			.split('`')
			.map((part, index) => (index % 2 === 1 ? markdownCode(part) : markdown`${part}`).text)
			.join(''),
	);

/** What an earlier row says too is named by that row. */
function saidOnce(name: string, names: string[], textOf: (name: string) => string): Content {
	const first = names.find((one) => textOf(one) === textOf(name)) ?? name;
	return first === name ? textOf(name) : written(`as \`${first}\``);
}

function commandsOf(makefile: string) {
	const found = [...makefile.matchAll(/^#::? {3}(make \S.*?) {2,}(.*)$/gm)];
	return found.map(([, command, about]) => [markdownCode(command), about]);
}

const architectureRows = () =>
	Object.entries(architectures).map(([id, { title, question, variables = {} }]) => [
		markdownCode(id),
		title,
		[question, ...Object.keys(variables).map((name, index) => markdown`${index === 0 ? ' Variables: ' : ', '}${markdownCode(name)}`)],
	]);

const optionRows = (names: string[]) =>
	names.map((name) => [markdownCode(name), written(aboutOption(name)), saidOnce(name, names, effectOf)]);

const loadRows = () =>
	Object.entries(scenarios).flatMap(([scenario, { loads, load }]) =>
		Object.entries(loads).map(([id, shape]) => [
			markdownCode(id),
			scenario,
			markdown`${shapes[shape]({}).title}${id === load && ' (unless another is given)'}`,
		]),
	);

const jsonRows = () =>
	Object.entries(JSON_RESULTS).map(([command, { result, beside }]) => [
		markdownCode(command),
		written(result),
		beside.flatMap((key, index) => [index > 0 && ', ', markdownCode(key)]),
	]);

const metricRows = () =>
	metrics.map(({ id, unit, label, better, gate }) => [
		markdownCode(id),
		UNITS[unit],
		`${label}${gate ? ' (judged first: no arm is better while it is worse on this)' : ''}`,
		better ?? 'neither',
	]);

/**
 * Experiments as short tables for the documents: the findings with a row for each experiment, and the arms of one.
 *
 */

/** Of an arm. */
const FIGURES: { title: string; metric: string; unit: Unit }[] = [
	{ title: 'good answers', metric: 'goodput_rps', unit: 'rps' },
	{ title: 'failed', metric: 'failure_rate', unit: 'share' },
	{ title: 'users’ time that failed', metric: 'failed_user_time_share', unit: 'share' },
	{ title: 'p95 of good', metric: 'latency_ms_p95_ok', unit: 'ms' },
];

/** Of an arm whose load has a surge or a fault. */
const CAME_BACK: (typeof FIGURES)[number] = { title: 'served 30 s after it, of before', metric: 'came_back_share', unit: 'share' };

/**
 * How many claims came out how; and of the experiments that were measured those of publications in rows, and below them the lab's own.
 * @param base path from the page to the folder of the findings, with a slash at its end
 */
export function findingsRows({ headline, experiments }: Findings, base: string): string {
	const measured = experiments.flatMap(({ title, markdown: page, claims, reported, own }) =>
		page === null ? [] : [{ link: linked(title, `${base}${page}`), claims, reported, own }],
	);
	const rows = measured.flatMap(({ link, claims, reported, own }) => (own ? [] : [[link, reported ?? 'not measured', verdictsOf(claims)]]));
	const asked = measured.flatMap(({ link, claims, own }) => (own ? [markdown`Claims of ${link}: ${verdictsOf(claims)}.`.text] : []));
	const below = asked.length === 0 ? '' : `\nOther experiments test our own ideas. ${asked.join(' ')}\n`;
	return `${escapeMarkdown(headline)}\n\n${markdownTable(['Experiment', 'In one sentence', 'Claims, ours included'], rows)}${below}`;
}

export const armRows = ({ arms }: ExperimentResult): string =>
	markdownTable(
		['', 'architecture', 'runs', ...FIGURES.map(({ title }) => numeric(title)), 'lost where'],
		arms.map((arm) => [
			markdownCode(arm.id),
			arm.title,
			runsOf(arm),
			...FIGURES.map((wanted) => rangeText(arm, wanted)),
			arm.ledger.map(({ tier, cause_title: cause, count: lost }) => `${count(lost)} at ${tierTitle(tier)}: ${cause}`).join('; ') || MISSING,
		]),
	);

/**
 * What each remedy serves, and what it takes.
 * @param result of which at least two arms have a price
 */
export function remedyRows({ arms }: ExperimentResult): string {
	const { titles = [], rows = [] } = pricesOf(arms) ?? {};
	const isDisturbed = arms.some(({ metrics }) => typeof metrics[CAME_BACK.metric]?.median === 'number');
	const served = [...FIGURES.slice(0, 2), ...(isDisturbed ? [CAME_BACK] : [])];
	return markdownTable(
		['', 'architecture', 'runs', ...[...served.map(({ title }) => title), ...titles].map(numeric)],
		rows.map(({ arm, cells }) => [
			markdownCode(arm.id),
			arm.title,
			runsOf(arm),
			...served.map((wanted) => rangeText(arm, wanted)),
			...cells,
		]),
	);
}

function rangeText({ metrics }: ExperimentArm, { metric, unit }: (typeof FIGURES)[number]): string {
	const measured = metrics[metric];
	if (typeof measured?.median !== 'number') return MISSING;
	return `${FORMATS[unit](measured.median)} (${extremes(measured, FORMATS[unit])})`;
}

const linked = (text: string, href: string) => new Markdown(`[${markdown`${text}`}](${href})`);

const verdictsOf = (claims: ClaimFinding[]) => listedCounts(tallied(claims.map(({ verdict }) => verdict)));

const runsOf = ({ runs, suspect }: ExperimentArm) => (suspect === 0 ? String(runs) : `${runs}, ${suspect} of them SUSPECT`);

export const emptyPart = (name: string) => `${startOf(name)}\n${endOf(name)}\n`;

/** What each command gives under --json: what `result` is, and what stands beside it. */
type JsonResult = { result: string; beside: string[] };

const PAGE = ['folder', 'report'];

const JSON_RESULTS: Record<string, JsonResult> = {
	init: {
		result:
			'what was written, as `project`, and the `doubts` and `dangers` of it; with `--observe` `project`, what was `observed`, and `notes`',
		beside: ['file'],
	},
	run: { result: '`result.json` of the run', beside: [...PAGE, 'thresholds'] },
	swarm: { result: '`result.json` of the run', beside: [...PAGE, 'thresholds'] },
	compare: { result: '`compare.json`', beside: [...PAGE, 'sentence'] },
	prove: { result: '`proof.json`, or its `outcome` alone where there was nothing to prove', beside: PAGE },
	share: { result: '`shared`: the file', beside: ['folder', 'report'] },
	squeeze: { result: '`squeeze.json`', beside: [...PAGE, 'sentence'] },
	limit: { result: '`limit.json`', beside: [...PAGE, 'sentence'] },
	experiment: { result: '`experiment.json`; of `all` the `findings.json` so far', beside: [...PAGE, 'sentence'] },
	findings: { result: '`findings.json`', beside: ['report'] },
	plan: { result: '`plan.json`', beside: PAGE },
	report: { result: 'as of the command that measured it', beside: PAGE },
	replay: {
		result: 'how many `records` were analysed, those that `moved` with what differs, and the `unread` and `failed` ones with the reason',
		beside: [],
	},
	freeze: { result: 'what was `frozen`, with its `bytes` and what of it was `kept`', beside: [] },
	typical: { result: 'the `folder` of the runs', beside: [] },
	simulate: { result: 'what came of the `cases`', beside: [] },
	open: { result: '`url`, and whether it was `shown`', beside: PAGE },
	examples: { result: 'the `pages` that were rendered', beside: [] },
	excerpt: { result: 'the `runs` that were kept', beside: ['folder'] },
	list: { result: '`project`, `architectures`, `experiments`, `loads`, `budgets` and `runs`', beside: [] },
	docs: { result: 'the `files` that were written', beside: [] },
	images: { result: '`mode`, and the image of each of the `variables`', beside: [] },
	calibrate: { result: 'the latest `readings`, and what budgets make of them, as `uses`', beside: ['file'] },
	'bench-overhead': { result: 'the pairs that were measured, and their `ratios` and `p95_ratios`', beside: ['file'] },
	selftest: { result: 'the `record` with each score, and their `total`', beside: ['report'] },
	doctor: { result: 'whether it is `ready`, and the `checks`', beside: [] },
	export: { result: 'the `run`, the `files` with their formats, and how many `series` and `values` they hold', beside: [] },
	stack: { result: 'the `stack`, and what of the Compose file is `ignored`', beside: [] },
	kubernetes: { result: 'the `manifests`, and what of the Compose file is `ignored`', beside: [] },
	completion: { result: '`shell` and its `script`', beside: [] },
	clean: { result: 'what is `left`: nothing', beside: [] },
};

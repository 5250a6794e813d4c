/** What is tried of an accusation, in the order in which it is: the least first that tells the leading suspects apart. Pure. */

import type { LoadChange } from '../../k6/lib/changed-load.js';
import type { Project } from '../catalog/project-schema.ts';
import { entryUrls, hostOfEntry } from '../catalog/project-schema.ts';
import type { LiveChange } from '../options/trial.ts';
import { causes } from '../record/causes.ts';
import type { Result } from '../record/types.js';
import type { AttachedService } from '../target/compose-model.ts';
import { projectService } from '../target/describe.ts';
import type { ImageView, Knob } from './knobs.ts';
import { knobsOf, NO_IMAGE } from './knobs.ts';
import { liveKnob } from './live.ts';
import type { ReadVariable } from './read-variables.ts';
import { sharedTopics } from './topics.ts';
import type { Trouble } from './trouble.ts';

export type Probe = {
	id: string;
	kind: Kind;
	/** that it relieves; empty where it is of the load */
	service: string;
	/** what is otherwise, fit to stand behind "with": "DB_POOL of api at 40 instead of 5" */
	title: string;
	/** of the user's own file, that says what it is today */
	line?: string;
	/** changes by service, as a Compose file has them */
	services?: Record<string, any>;
	/** of which a changed copy is mounted into the service */
	file?: Knob['file'];
	/** by which it can be switched on and off while the load goes on */
	live?: LiveChange;
	/** a Compose file of the user's, laid over the others */
	compose?: string;
	/** what of a script's load is otherwise */
	load?: LoadChange;
	/** the requests that are left of a list */
	urls?: string[];
	/** that the load has */
	users?: number;
	/** what is done to a container while the load goes on, as FAULT has it */
	fault?: string;
	/** another shipped system, that is measured in its place */
	system?: string;
	/** of the load, before which the copy is not looked at */
	from_s?: number;
	/** seconds that its load has to have */
	least_s?: number;
	/** somebody suspects it, so that it is tried even where another one is proved */
	isRival?: boolean;
};

type Kind =
	| 'relief'
	| 'remedy'
	| 'named-knob'
	| 'knob'
	| 'more-of-it'
	| 'two-of-it'
	| 'fresh'
	| 'without-kind'
	| 'without-bystander'
	| 'one-user'
	| 'switch';

type About = {
	trouble: Trouble;
	result: Result;
	project: Project;
	/** as Compose has resolved the files */
	config: any;
	models: AttachedService[];
	/** of a script that is the load; none of any other */
	scenarios: string[];
	/** seconds of the load after which none of the run's own faults is there any more */
	faults_s: number;
	/** services that have one */
	faulty: string[];
	/** by service, as far as they are known */
	images: Record<string, ImageView>;
	/** a file of this machine */
	read: (path: string) => string | null;
	/** names of the files of a folder of it */
	list: (path: string) => string[];
	/** that sources there read */
	variables: (places: string[]) => ReadVariable[];
};

/** Seconds of load that a restart needs before and after it. A queue that it emptied fills again within some. */
const BEFORE_FRESH_S = 3;
const SETTLES_S = 4;
const AFTER_FRESH_S = 10;
/** One user at a time needs some seconds for a few requests of each kind. */
const ONE_USER_S = 20;
/** Of kinds, and of what in one of them is nearer to the cause, or farther from it. */
type Rank = Kind | 'own-switch' | 'unrelated';
/** Where a cause says nothing of it. A switch that the user set at the accused is a change that can stay, as no load less a kind is. */
const STANDARD = [
	'relief',
	'remedy',
	'named-knob',
	'knob',
	'more-of-it',
	'two-of-it',
	'own-switch',
	'without-kind',
	'fresh',
	'without-bystander',
	'switch',
	'unrelated',
	'one-user',
] as Rank[];
/** Tiers of which two containers are not one thing twice: each would keep data of its own. */
const KEEPING = ['database', 'cache', 'queue', 'other'];
/** Settings of one service that are tried at most: the rest fits the cause less well. */
const KNOBS_MOST = 3;

/** @returns in the order in which they are to be tried */
export function probesOf(about: About): Probe[] {
	const { trouble, project } = about;
	const [worst] = trouble.places;
	if (worst === undefined) return [];
	const accused = worst.service.split(', ').filter((name) => about.models.some(({ service }) => service === name));
	const words = wordsOf(about.result, worst);
	const behind = project.edges.filter(([from]) => accused.includes(from)).map(([, to]) => to);
	const before = project.edges.filter(([, to]) => accused.includes(to)).map(([from]) => from);
	const order = orderOf(worst.cause);
	const knobs = [accused, behind, before].flatMap((services, distance) => knobProbes(services, { about, words, distance }));
	const fitting = knobs.toSorted((one, other) => other.fit - one.fit);
	const probes = [
		...namedKnobs(about),
		...fitting.slice(0, KNOBS_MOST * Math.max(1, accused.length)).map(({ probe }) => probe),
		...accused.flatMap((service) => twoOfIt(service, about)),
		...accused.slice(0, 1).map((service) => freshOf(service, { onset_s: Math.max(trouble.onset_s, about.faults_s) })),
		...withoutKinds(about),
		...bystanders(about),
		...oneUser(about),
	];
	const fitFound = (probe: Probe) => fitting.find((one) => one.probe === probe)?.fit ?? null;
	const confirmed = confirmedBy(worst.cause);
	const isOfSettings = confirmed.every((id) => SETTINGS.includes(id)) || order[0] === 'knob';
	const rank = (probe: Probe) => {
		if (probe.kind === 'named-knob') return FIRST;
		const fit = fitFound(probe);
		// A setting that shares its very topic with the cause goes first, unless something else is known to confirm that.
		if (fit !== null && fit >= FITS && isOfSettings) return NEXT;
		// One that has nothing to do with it comes after all that may tell something.
		const isUnrelated = fit !== null && fit < (probe.kind === 'more-of-it' ? SHARED : RELATED) && SETTINGS.includes(probe.kind);
		if (probe.kind === 'switch' && fit !== null && fit >= OWN_SWITCH) return order.indexOf('own-switch');
		return order.indexOf(isUnrelated ? 'unrelated' : probe.kind);
	};
	return probes.toSorted((one, other) => rank(one) - rank(other));
}

/** Before all kinds: what the user names, and then what fits. */
const [FIRST, NEXT] = [-2, -1];
const SETTINGS: Kind[] = ['knob', 'more-of-it'];
/** A setting that somebody gave to the accused, or a topic in common; of a limit, which most services have, the topic alone. */
const RELATED = 1;
const SHARED = 2;
/** A topic in common, at the accused. */
const FITS = 3;
/** A switch that somebody set at the accused. */
const OWN_SWITCH = 0;

/** All that is said of a cause. */
function wordsOf({ ledger }: Result, { service, cause, title }: { service: string; cause: string; title: string }): string {
	const row = ledger.failures.find((one) => one.service === service && one.cause === cause);
	const lines = (row?.evidence ?? []).flatMap((one) => ('line' in one ? [one.line] : 'text' in one ? [one.text] : []));
	return [cause, title, row?.chain ?? '', ...lines].join('\n');
}

/** One user at a time ends every matter of load, and tells nothing among them: it comes last. */
const orderOf = (cause: string): Rank[] => [
	...new Set<Rank>([...confirmedBy(cause), ...STANDARD.filter((kind) => !isIdle(cause, kind)), ...STANDARD]),
];

/** What changes nothing where the cause is right, and so relieves nothing. */
const isIdle: (cause: string, kind: string) => boolean = (cause, kind) =>
	(causes[cause]?.confirm ?? []).some(({ id, expect }) => id === kind && expect === 'same');

/** By relief: what leaves everything the same proves nothing. */
const confirmedBy = (cause: string): Kind[] =>
	(causes[cause]?.confirm ?? []).filter(({ id, expect }) => expect === 'cured' && id !== 'one-user').map(({ id }) => id);

/** What the user wants to see tried. */
const namedKnobs: (about: About) => Probe[] = ({ config, project }) =>
	Object.entries(project.knobs ?? {}).flatMap(([service, variables]) =>
		Object.entries(variables).flatMap(([name, values]) => {
			const from = config.services[service]?.environment?.[name];
			return values.map(String).flatMap((value) =>
				value === String(from)
					? []
					: [
							{
								id: `knob:${service}:${name}=${value}`,
								kind: 'named-knob' as const,
								service,
								title: `${name} of ${service} at ${value}`,
								line: `services.${service}.environment.${name}`,
								// As it stands: Compose would fill in a variable of this shell.
								services: { [service]: { environment: { [name]: value.replaceAll('$', '$$$$') } } },
							},
						],
			);
		}),
	);

/** @param given distance: from the accused, 0 for itself */
const knobProbes = (
	services: string[],
	{ about: { config, project, images, read, list, variables }, words, distance }: { about: About; words: string; distance: number },
): { probe: Probe; fit: number }[] => {
	const kinds = {
		setting: 'knob' as Kind,
		limit: 'more-of-it' as Kind,
		switch: 'switch' as Kind,
	};
	return together(
		[...new Set(services)].flatMap((service) => {
			const { product } = projectService(project, service);
			return knobsOf(service, config.services[service] ?? {}, { product, image: images[service] ?? NO_IMAGE, read, list, variables }).map(
				(knob) => ({
					service,
					knob,
				}),
			);
		}),
	).map(({ services: named, knob, changes }) => ({
		fit: fitOf(knob, sharedTopics(words, knob.name), distance),
		probe: {
			id: `${kinds[knob.kind]}:${named.join('+')}:${knob.name}`,
			kind: kinds[knob.kind],
			service: named.join(', '),
			title: `${knob.name} of ${named.join(' and ')} at ${knob.to} instead of ${knob.from}`,
			line: knob.line,
			...(Object.keys(changes).length > 0 ? { services: changes } : {}),
			...(knob.file ? { file: knob.file } : {}),
			...liveIn(knob, named, { config, project, images }),
		},
	}));
};

/** Of one service alone: of several all would have to be switched at the same moment. */
function liveIn(knob: Knob, [service, ...others]: string[], { config, project, images }: Pick<About, 'config' | 'project' | 'images'>) {
	const { product } = projectService(project, service);
	const found = config.services[service] ?? {};
	const live = others.length > 0 ? null : liveKnob(knob, service, { found, product, image: images[service] ?? NO_IMAGE });
	return live === null ? {} : { live };
}

/** A limit that nobody set is as near as one that somebody did where the cause is about it. */
const fitOf: (knob: Knob, shared: number, distance: number) => number = ({ kind, isUnset }, shared, distance) =>
	2 * shared + (distance === 0 && (shared > 0 || !isUnset) ? 1 : 0) - (kind === 'switch' ? 1 : 0);

/** Services that are alike have a setting in common: it is one thing that is changed. */
function together(all: { service: string; knob: Knob }[]): { services: string[]; knob: Knob; changes: Record<string, any> }[] {
	const made: Map<string, { services: string[]; knob: Knob; changes: Record<string, any> }> = new Map();
	for (const { service, knob } of all) {
		const key = knob.file ? `${service} ${knob.line}` : `${knob.kind} ${knob.name} ${knob.from}`;
		const known = made.get(key) ?? { services: [], knob, changes: {} };
		known.services.push(service);
		if (Object.keys(knob.changes).length > 0) known.changes[service] = knob.changes;
		made.set(key, known);
	}
	return [...made.values()];
}

function twoOfIt(service: string, { models, project }: About): Probe[] {
	const model = models.find((one) => one.service === service);
	const { tier } = projectService(project, service);
	const isEntry = entryUrls(project).some((url) => hostOfEntry(url) === service);
	if (!model || model.replicas !== 1 || model.containerName !== '' || model.published.length > 0 || isEntry || KEEPING.includes(tier))
		return [];
	if (model.mounts.some(({ type, readOnly }) => type === 'volume' && !readOnly)) return [];
	return [
		{
			id: `two-of-it:${service}`,
			kind: 'two-of-it',
			service,
			title: `two containers of ${service} instead of one`,
			line: `services.${service}.deploy.replicas`,
			services: { [service]: { deploy: { replicas: 2 } } },
		},
	];
}

/** When a restart is put in. */
const freshAt = ({ onset_s: onset }: Pick<Trouble, 'onset_s'>) => Math.ceil(onset + BEFORE_FRESH_S);

/** A service that is restarted in mid-trouble. */
export const freshOf = (service: string, trouble: Pick<Trouble, 'onset_s'>): Probe => ({
	id: `fresh:${service}`,
	kind: 'fresh',
	service,
	title: `${service} restarted in second ${freshAt(trouble)}`,
	fault: `restart ${service}@${freshAt(trouble)}s`,
	from_s: freshAt(trouble) + SETTLES_S,
	least_s: freshAt(trouble) + SETTLES_S + AFTER_FRESH_S,
});

function withoutKinds({ project, scenarios }: About): Probe[] {
	const { urls = [] } = project.load;
	if (scenarios.length > 1)
		return scenarios.map((name) => ({
			id: `without-kind:${name}`,
			kind: 'without-kind',
			service: '',
			title: `no users of the scenario ${name}`,
			load: { without: [name] },
		}));
	if (urls.length < 2) return [];
	return urls.map((url) => ({
		id: `without-kind:${url}`,
		kind: 'without-kind',
		service: '',
		title: `no request ${url}`,
		urls: urls.filter((one) => one !== url),
	}));
}

/** Services that no request passes may take what others need. */
function bystanders({ models, project, faulty }: About): Probe[] {
	const onWay = new Set([...project.edges.flat(), ...entryUrls(project).map(hostOfEntry)]);
	return models
		.filter(({ service, replicas }) => replicas === 1 && !onWay.has(service) && !faulty.includes(service))
		.map(({ service }) => ({
			id: `without-bystander:${service}`,
			kind: 'without-bystander',
			service,
			title: `${service} stopped, which no request passes`,
			fault: `stop ${service}@0s`,
			// It keeps its locks and its connections so: what ends with that was for its CPU or its disk.
			live: { kind: 'pause', service },
		}));
}

const oneUser: (about: About) => Probe[] = ({ project, scenarios }) => {
	const isOpen = project.load.script === undefined && project.load.urls === undefined && project.load.openapi === undefined;
	if (isOpen) return [];
	return [
		{
			id: 'one-user',
			kind: 'one-user',
			service: '',
			title: 'the same requests from one user at a time',
			least_s: ONE_USER_S,
			...(scenarios.length > 0 ? { load: { one_user: true } } : { users: 1 }),
		},
	];
};

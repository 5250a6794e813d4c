/**
 * A system as Kubernetes takes it, made of what Compose says of it, with the load as a TestRun of the k6-operator. Pure; whoever reads
 * folders is given.
 *
 * Sources: https://kubernetes.io/docs/reference/kubernetes-api/, https://github.com/grafana/k6-operator (api/v1alpha1/testrun_types.go)
 */
import { posix } from 'node:path';
import { limitsOf } from '../../docker/compose.ts';
import type { Ignored, Model, Mount } from '../swarm/stack-file.ts';

export const NAMESPACE = 'doubletake';
const APP_LABEL = 'app.kubernetes.io/name';
const TIER_LABEL = 'doubletake.tier';
const YES = 'yes';
/** Of the pods' memory that is a disk. */
const IN_MEMORY = 'Memory';
/** Kernel settings that a cluster lets every pod have (https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/). */
const SAFE_SYSCTLS = ['net.ipv4.ip_local_port_range'];
/** By which k6 is told where its log goes, with a line for each 64 requests. */
const LOG_OUTPUT = 'K6_LOG_OUTPUT';
const SECONDS = /^(?:(\d+)m)?(?:(\d+)s)?$/;

/** Fields that have a form there. */
const TURNED = [
	...[
		'image',
		'command',
		'entrypoint',
		'environment',
		'user',
		'read_only',
		'cap_drop',
		'security_opt',
		'labels',
		'healthcheck',
		'networks',
	],
	...['stop_grace_period', 'cpu_period', 'cpu_quota', 'cpus', 'mem_limit', 'volumes', 'tmpfs', 'sysctls'],
];
/** Nothing is lost with them: they say how the model itself is read, or what Kubernetes does anyway. */
const NEEDLESS = ['profiles', 'build', 'extends', 'pull_policy', 'restart', 'init', 'logging', 'deploy'];
/** Why the others are left out. */
const LEFT_OUT: Record<string, string> = {
	cpu_shares: 'pods have no weights apart from what they request',
	depends_on: 'all pods start at once; one that fails is started again',
	ports: 'nothing is published: who asks is in the cluster',
	ulimits: 'a pod takes those of its node',
};

type Given = { filesIn: (folder: string) => string[]; read: (file: string) => string };

/**
 * @param model that Compose makes of its files, with the generator
 * @param given generators: pods that make the load together
 * @returns in the order in which they are applied
 */
export function manifestsOf(
	model: Model,
	{ generators, ...given }: Given & { generators: number },
): { manifests: Record<string, any>[]; ignored: Ignored[] } {
	const files = new FolderMaps(given);
	const services = Object.entries(model.services).map(([name, service]) => ({
		name: nameOf(service),
		compose: name,
		service,
		pod: podOf(service, files),
	}));
	const isLoad = ({ service }: { service: any }) => service.labels[TIER_LABEL] === 'generator';
	const system = services.filter((one) => !isLoad(one));
	const load = services.filter(isLoad);
	return {
		manifests: [
			{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
			...files.all(),
			...system.flatMap(({ name, service, pod }) => [headless(name, service), deployment(name, service, pod)]),
			...load.map(({ service, pod }) => testRun(service, pod, generators)),
		],
		ignored: services.flatMap(({ compose, service }) => ignoredOf(service).map((one) => ({ service: compose, ...one }))),
	};
}

/** Its address in the network, as others ask for it. */
const nameOf = (service: any) => service.labels['doubletake.name'];

function ignoredOf(service: Record<string, any>): Omit<Ignored, 'service'>[] {
	const said = Object.keys(service).filter((field) => service[field] !== null && service[field] !== undefined);
	const fields = said
		.filter((field) => ![...TURNED, ...NEEDLESS].includes(field))
		.map((field) => ({ field, why: LEFT_OUT[field] ?? 'Doubletake does not know whether Kubernetes has it' }));
	const unsafe = Object.keys(service.sysctls ?? {}).filter((name) => !SAFE_SYSCTLS.includes(name));
	return [...fields, ...unsafe.map((name) => ({ field: `sysctls ${name}`, why: 'a cluster allows it only where its nodes are told to' }))];
}

const metadata = (name: string, service: any) => ({
	name,
	namespace: NAMESPACE,
	labels: { [APP_LABEL]: name, [TIER_LABEL]: service.labels[TIER_LABEL] },
});

/** Its name stands for the addresses of its pods: no balancing that nobody sees. */
const headless = (name: string, service: any) => ({
	apiVersion: 'v1',
	kind: 'Service',
	metadata: metadata(name, service),
	spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { [APP_LABEL]: name } },
});

function deployment(name: string, service: any, { container, pod }: Pod) {
	const meta = metadata(name, service);
	return {
		apiVersion: 'apps/v1',
		kind: 'Deployment',
		metadata: meta,
		spec: {
			replicas: 1,
			strategy: { type: 'Recreate' },
			selector: { matchLabels: { [APP_LABEL]: name } },
			template: { metadata: { labels: meta.labels }, spec: { ...pod, containers: [{ name, ...container }] } },
		},
	};
}

/** Its runners wait for each other, and each has a segment of the users, as with GENERATORS. */
function testRun(service: any, { container, pod }: Pod, generators: number) {
	const [, ...words] = service.command;
	const script = words.at(-1);
	return {
		apiVersion: 'k6.io/v1alpha1',
		kind: 'TestRun',
		metadata: metadata(nameOf(service), service),
		spec: {
			parallelism: generators,
			script: { localFile: script },
			cleanup: 'post',
			runner: {
				image: container.image,
				// What is in a file is gone with its pod.
				env: container.env.map((one: { name: string }) => (one.name === LOG_OUTPUT ? { name: LOG_OUTPUT, value: 'stdout' } : one)),
				resources: container.resources,
				nodeSelector: pod.nodeSelector,
				securityContext: pod.securityContext,
				containerSecurityContext: container.securityContext,
				volumes: pod.volumes,
				volumeMounts: container.volumeMounts,
			},
		},
	};
}

type Pod = { container: Record<string, any>; pod: Record<string, any> };

function podOf(service: any, files: FolderMaps): Pod {
	const mounts = mountsOf(service, files);
	const [user, group = user] = String(service.user ?? '')
		.split(':')
		.map(Number);
	const sysctls = Object.entries<any>(service.sysctls ?? {}).filter(([name]) => SAFE_SYSCTLS.includes(name));
	return {
		container: {
			image: service.image,
			...(service.entrypoint ? { command: service.entrypoint } : {}),
			...(service.command ? { args: service.command } : {}),
			env: Object.entries<any>(service.environment ?? {}).map(([name, value]) => ({ name, value: value === null ? '' : String(value) })),
			resources: { limits: limitsOf(service, 'cpu') },
			securityContext: {
				readOnlyRootFilesystem: service.read_only === true,
				allowPrivilegeEscalation: false,
				capabilities: { drop: service.cap_drop ?? [] },
				...(service.user ? { runAsNonRoot: true, runAsUser: user, runAsGroup: group } : {}),
			},
			...probeOf(service.healthcheck),
			volumeMounts: mounts.map(({ name, path }) => ({ name, mountPath: path })),
		},
		pod: {
			nodeSelector: { [`doubletake.${service.labels['doubletake.beside'] ?? service.labels[TIER_LABEL]}`]: YES },
			automountServiceAccountToken: false,
			enableServiceLinks: false,
			...(service.stop_grace_period ? { terminationGracePeriodSeconds: secondsOf(service.stop_grace_period) } : {}),
			securityContext: {
				// Of what its containers write into.
				...(service.user ? { fsGroup: group } : {}),
				...(sysctls.length > 0 ? { sysctls: sysctls.map(([name, value]) => ({ name, value: String(value) })) } : {}),
			},
			volumes: mounts.map(({ name, volume }) => ({ name, ...volume })),
		},
	};
}

/** @param check as Compose has it */
function probeOf(check: { test?: string[]; interval?: string; timeout?: string; retries?: number } | null | undefined) {
	const [kind, ...words] = check?.test ?? [];
	if (kind !== 'CMD' && kind !== 'CMD-SHELL') return {};
	const command = kind === 'CMD' ? words : ['sh', '-c', ...words];
	return {
		readinessProbe: {
			exec: { command },
			periodSeconds: secondsOf(check?.interval ?? '10s'),
			timeoutSeconds: secondsOf(check?.timeout ?? '1s'),
			failureThreshold: check?.retries ?? 3,
		},
	};
}

/** Compose prints times as `12s` or `1m30s`. */
function secondsOf(text: string) {
	const [, minutes, seconds] = SECONDS.exec(text) ?? [];
	return Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

function mountsOf(service: any, files: FolderMaps): { name: string; path: string; volume: Record<string, any> }[] {
	const mounts = (service.volumes ?? []) as Mount[];
	return [
		...mounts
			.filter(({ type }) => type === 'volume')
			// Gone with the pod; nothing fetches it (docs/kubernetes.md).
			.map(({ source, target }) => ({ name: source, path: target, volume: { emptyDir: {} } })),
		...mounts
			.filter(({ type, read_only: isRead }) => type === 'bind' && isRead === true)
			.map((mount) => ({ ...files.add(mount), path: mount.target })),
		...[service.tmpfs ?? []].flat().map((target) => ({
			name: `memory${target.replaceAll('/', '-')}`,
			path: target,
			volume: { emptyDir: { medium: IN_MEMORY } },
		})),
	];
}

/** Folders of this machine that services read, each a ConfigMap: its keys have no slashes, so that a volume says which file each is. */
class FolderMaps {
	/** by folder */
	#folders: Map<string, { name: string; files: { key: string; path: string }[] }> = new Map();
	#given;

	constructor(given: Given) {
		this.#given = given;
	}

	add({ source }: Mount): { name: string; volume: Record<string, any> } {
		const name = `${NAMESPACE}-${posix.basename(source)}`;
		const files = this.#given.filesIn(source).map((path) => ({ key: path.replaceAll(/[^\w.-]/g, '_'), path }));
		this.#folders.set(source, { name, files });
		return { name: posix.basename(source), volume: { configMap: { name, items: files } } };
	}

	all() {
		return [...this.#folders].map(([folder, { name, files }]) => ({
			apiVersion: 'v1',
			kind: 'ConfigMap',
			metadata: { name, namespace: NAMESPACE },
			data: Object.fromEntries(files.map(({ key, path }) => [key, this.#given.read(posix.join(folder, path))])),
		}));
	}
}

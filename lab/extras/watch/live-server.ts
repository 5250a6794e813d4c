/**
 * Shows a run while it goes on, on this machine alone: a page, and the seconds as they come (server-sent events,
 * https://html.spec.whatwg.org/multipage/server-sent-events.html). Nobody who does not look costs anything.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { LoadStatus, Progress } from '../../base/progress.ts';
import type { Service } from '../../docker/containers.ts';
import type { LiveService, Snapshot } from '../../report/assets/snapshot.ts';
import { inTierOrder } from '../../report/format.ts';
import { renderLivePage } from './live-page.ts';

export class LiveState {
	#services: Map<string, LiveService & { cpu: { t: number; cpu_s: number } | null }> = new Map();
	#connectionsMost: Record<string, number> = {};

	/** @param connections that it may have open */
	limit(name: string, connections: number) {
		this.#connectionsMost[name] = connections;
	}

	describe(services: { name: string; tier: string; cpuQuotaCores: number | null }[]) {
		const tiers = Object.fromEntries(services.map(({ name, tier }) => [name, tier]));
		for (const name of inTierOrder(Object.keys(tiers), (service) => tiers[service])) {
			const quota = services.find((service) => service.name === name)?.cpuQuotaCores ?? null;
			const connectionsMost = this.#connectionsMost[name] ?? null;
			this.#services.set(name, { ...UNREAD, name, tier: tiers[name], cores_most: quota, connections_most: connectionsMost });
		}
	}

	/**
	 * @param record its name
	 * @param line of it
	 */
	take(record: string, line: any) {
		const service = this.#services.get(line.name);
		if (service === undefined) return;
		if (record === 'containers') takeUsage(service, line);
		if (record === 'kernel') {
			service.connections = line.sockets?.inuse ?? null;
			service.waiting = line.accept?.reduce((sum: number, { queued }: { queued: number }) => sum + queued, 0) ?? null;
		}
		if (record === 'events' && (line.action === 'die' || line.action === 'start')) service.ended = line.action === 'die';
	}

	snapshot({ stage, users, rps, p95Ms, failureRate, leftS, isLongest = false, nowS = null, ofS = null }: LoadStatus): Snapshot {
		return {
			t_s: nowS,
			of_s: ofS,
			stage,
			users,
			rps,
			p95_ms: p95Ms,
			failed: failureRate,
			left_s: Math.max(0, leftS),
			is_longest: isLongest,
			services: [...this.#services.values()].filter(({ tier }) => tier !== 'observer').map(({ cpu: _, ...service }) => service),
		};
	}
}

const UNREAD: Omit<LiveService, 'name' | 'tier'> & { cpu: null } = {
	...{ cores: null, cores_most: null, connections: null, connections_most: null, waiting: null, files: null, files_most: null },
	...{ ended: false, cpu: null },
};

function takeUsage(service: LiveService & { cpu: { t: number; cpu_s: number } | null }, { t, cpu_s: cpuS, fds }: any): void {
	const before = service.cpu;
	if (before !== null && t > before.t) service.cores = Math.max(0, (cpuS - before.cpu_s) / (t - before.t));
	service.cpu = { t, cpu_s: cpuS };
	service.files = fds?.open_files ?? null;
	service.files_most = fds?.limit ?? null;
}

const HOST = '127.0.0.1';
/** Of seconds; a browser that opens later gets those that passed. */
const KEPT_MOST = 3600;
/** A browser that watches goes on to the report as soon as it hears of it. */
const REPORT_LIMIT_MS = 3000;
const HTML = 'text/html; charset=utf-8';

export class LiveServer {
	#state = new LiveState();
	#snapshots: Snapshot[] = [];
	#watching: Set<ServerResponse> = new Set();
	/** The page of the report. */
	#report: string | null = null;
	#server;
	#title;
	/** Browsers that have the report. */
	#shown = 0;

	/** @param title of the run */
	constructor(title: string) {
		this.#title = title;
		this.#server = createServer((request, response) => {
			// Whoever watches must not end the run: a browser that goes away while it is written to, or a page that cannot be made.
			response.on('error', () => {});
			this.#answer(request, response).catch(() => refuse(response, 500));
		});
		// It must not keep the lab from ending.
		this.#server.unref();
	}

	/** @returns that listens */
	static async start(title: string): Promise<LiveServer> {
		const live = new LiveServer(title);
		live.#server.listen(0, HOST);
		await once(live.#server, 'listening');
		return live;
	}

	/** Where it is. */
	get url() {
		return `http://${this.#host}/`;
	}

	get #host() {
		const { port } = this.#server.address() as AddressInfo;
		return `${HOST}:${port}`;
	}

	describe(services: Service[]) {
		this.#state.describe(services);
	}

	limit(name: string, connections: number) {
		this.#state.limit(name, connections);
	}

	take(record: string, line: object): void {
		this.#state.take(record, line);
	}

	load(status: LoadStatus) {
		const snapshot = this.#state.snapshot(status);
		if (this.#snapshots.length < KEPT_MOST) this.#snapshots.push(snapshot);
		for (const response of this.#watching) send(response, 'second', snapshot);
	}

	/** Progress that is shown here too. */
	beside(progress: Progress): Progress {
		return {
			...progress,
			load: (status) => {
				progress.load(status);
				this.load(status);
			},
		};
	}

	/**
	 * Ends it; browsers that watch are shown the report.
	 * @param render gives the report's page, where there is one; asked when somebody watches
	 */
	async end(render?: () => Promise<string>) {
		if (!this.#server.listening) return;
		const watching = this.#watching.size;
		const report = watching > 0 && render ? await render() : null;
		this.#report = report;
		for (const response of this.#watching) {
			send(response, 'end', { report: report !== null });
			response.end();
		}
		const endsAt = Date.now() + REPORT_LIMIT_MS;
		while (report !== null && this.#shown < watching && Date.now() < endsAt) await wait(50);
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #answer({ url, headers }: IncomingMessage, response: ServerResponse) {
		// Another site's page could ask by a name of its own that leads here.
		if (headers.host !== this.#host) return refuse(response, 403);
		if (url === '/') return give(response, await renderLivePage(this.#title));
		if (url === '/seconds') return this.#watch(response);
		if (url === '/report' && this.#report !== null) {
			response.on('finish', () => {
				this.#shown += 1;
			});
			return give(response, this.#report);
		}
		return refuse(response, 404);
	}

	#watch(response: ServerResponse) {
		response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		send(response, 'passed', this.#snapshots);
		this.#watching.add(response);
		response.on('close', () => this.#watching.delete(response));
	}
}

const send: (response: ServerResponse, event: string, data: object) => void = (response, event, data) =>
	void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

const give: (response: ServerResponse, page: string) => void = (response, page) =>
	void response.writeHead(200, { 'content-type': HTML, 'cache-control': 'no-store' }).end(page);

const refuse: (response: ServerResponse, status: number) => void = (response, status) => void response.writeHead(status).end();

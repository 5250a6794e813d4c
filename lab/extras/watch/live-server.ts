/**
 * Shows a run while it goes on, on this machine alone: a page, and the seconds as they come (server-sent events,
 * https://html.spec.whatwg.org/multipage/server-sent-events.html). Nobody who does not look costs anything.
 *
 * @import { LoadStatus, Progress } from '../../cli/reporter.ts'
 * @import { Service } from '../../docker/containers.ts'
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { inTierOrder } from '../../report/format.ts';
import { html } from '../../report/html.ts';
import { bundleScript, chartStyles } from '../../report/report.ts';
import { asset, renderPage } from '../../report/stamp.ts';

/*
 * The page that shows a run while it goes on. It brings no figures: they come second by second.
 */

/** As the script fills them: the name of the element, what it says. */
const FIGURES = [
	['users', 'Users'],
	['rps', 'Requests a second'],
	['p95_ms', 'p95'],
	['failed', 'Failed'],
	['left_s', 'Left'],
];
const CHARTS = [
	['rate', 'Requests a second', 'Failed ones below. The mean of five seconds, drawn at their middle.'],
	['p95', 'p95, ms', 'Of the requests of the same five seconds.'],
	['cpu', 'CPU of each tier', 'Of its quota, or of a core where it has none.'],
	['connections', 'Open connections of each tier', 'TCP connections in its own network.'],
];

/** @param {string} title of the run @returns {Promise<string>} */
const renderLivePage = async (title) =>
	renderPage({
		title: `${title}, running: Doubletake`,
		styles: [chartStyles(), asset('live.css')],
		trail: html`<b>Doubletake</b> <span class="run">${title}</span>`,
		isServed: true,
		body: html`<h1>${title} <span class="stage" id="stage">waiting for the load</span></h1>
<p class="live-note" id="note" role="status">Nothing here is judged yet. The report, with the ledger of each failed request, is made when the load has ended.</p>
<p class="live-note" id="of">Stage, users, requests, p95 and failures will stand here some seconds after the load has begun.</p>
<dl class="live-figures">${FIGURES.map(([id, name]) => html`<div><dt>${name}</dt><dd id="${id}">–</dd></div>`)}</dl>
<h2>The tiers now</h2>
<ol class="live-tiers" id="tiers"></ol>
<h2>So far</h2>
<p class="live-note">Seconds from the start of the load; before 0 s is the warm-up.</p>
<div class="live-charts">${CHARTS.map(
			([id, name, about]) => html`<figure><figcaption><b>${name}</b> ${about}</figcaption><div class="plot" id="${id}"></div></figure>`,
		)}</div>`,
		script: await bundleScript('live.ts'),
	});

/**
 * How a run stands now, of what the observers write and k6's users tell: for a page that shows it while it goes on. Pure.
 *
 * @typedef {object} LiveService
 * @property {string} name
 * @property {string} tier
 * @property {number | null} cores       used in the last second; null before two readings
 * @property {number | null} cores_most  its quota; null without one
 * @property {number | null} connections open TCP connections in its network namespace
 * @property {number | null} connections_most  that its own table has room for
 * @property {number | null} waiting     connections that wait to be accepted
 * @property {number | null} files       open files of the process that has most
 * @property {number | null} files_most  that it may have
 * @property {boolean} ended
 *
 * @typedef {object} Snapshot
 * @property {number | null} t_s         now: seconds from the start of the load, negative before it; null before the load generator began
 * @property {[from: number, to: number] | null} of_s  seconds of the load that stage, users and figures are of; null without figures
 * @property {string} stage
 * @property {number | null} users
 * @property {number | null} rps
 * @property {number | null} p95_ms
 * @property {number | null} failed      0 to 1
 * @property {number} left_s             from now
 * @property {boolean} is_longest        it may end before
 * @property {LiveService[]} services    in the order in which requests pass them
 */

export class LiveState {
	/** @type {Map<string, LiveService & { cpu: { t: number, cpu_s: number } | null }>} */
	#services = new Map();
	/** @type {Record<string, number>} */
	#connectionsMost = {};

	/** @param {string} name @param {number} connections  that it may have open */
	limit(name, connections) {
		this.#connectionsMost[name] = connections;
	}

	/** @param {{ name: string, tier: string, cpuQuotaCores: number | null }[]} services */
	describe(services) {
		const tiers = Object.fromEntries(services.map(({ name, tier }) => [name, tier]));
		for (const name of inTierOrder(Object.keys(tiers), (service) => tiers[service])) {
			const quota = services.find((service) => service.name === name)?.cpuQuotaCores ?? null;
			const connectionsMost = this.#connectionsMost[name] ?? null;
			this.#services.set(name, { ...UNREAD, name, tier: tiers[name], cores_most: quota, connections_most: connectionsMost });
		}
	}

	/**
	 * @param {string} record  its name
	 * @param {any} line       of it
	 */
	take(record, line) {
		const service = this.#services.get(line.name);
		if (service === undefined) return;
		if (record === 'containers') takeUsage(service, line);
		if (record === 'kernel') {
			service.connections = line.sockets?.inuse ?? null;
			service.waiting =
				line.accept?.reduce((/** @type {number} */ sum, /** @type {{ queued: number }} */ { queued }) => sum + queued, 0) ?? null;
		}
		if (record === 'events' && (line.action === 'die' || line.action === 'start')) service.ended = line.action === 'die';
	}

	/**
	 * @param {LoadStatus} status
	 * @returns {Snapshot}
	 */
	snapshot({ stage, users, rps, p95Ms, failureRate, leftS, isLongest = false, nowS = null, ofS = null }) {
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

/** @type {Omit<LiveService, 'name' | 'tier'> & { cpu: null }} */
const UNREAD = {
	...{ cores: null, cores_most: null, connections: null, connections_most: null, waiting: null, files: null, files_most: null },
	...{ ended: false, cpu: null },
};

/** @type {(service: LiveService & { cpu: { t: number, cpu_s: number } | null }, line: any) => void} */
function takeUsage(service, { t, cpu_s: cpuS, fds }) {
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
	/** @type {Snapshot[]} */
	#snapshots = [];
	/** @type {Set<import('node:http').ServerResponse>} */
	#watching = new Set();
	/** The page of the report. @type {string | null} */
	#report = null;
	#server;
	#title;
	/** Browsers that have the report. */
	#shown = 0;

	/** @param {string} title of the run */
	constructor(title) {
		this.#title = title;
		this.#server = createServer((request, response) => {
			// Whoever watches must not end the run: a browser that goes away while it is written to, or a page that cannot be made.
			response.on('error', () => {});
			this.#answer(request, response).catch(() => refuse(response, 500));
		});
		// It must not keep the lab from ending.
		this.#server.unref();
	}

	/** @param {string} title @returns {Promise<LiveServer>} that listens */
	static async start(title) {
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
		const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
		return `${HOST}:${port}`;
	}

	/** @param {Service[]} services */
	describe(services) {
		this.#state.describe(services);
	}

	/** @param {string} name @param {number} connections */
	limit(name, connections) {
		this.#state.limit(name, connections);
	}

	/** @type {(record: string, line: object) => void} */
	take(record, line) {
		this.#state.take(record, line);
	}

	/** @param {LoadStatus} status */
	load(status) {
		const snapshot = this.#state.snapshot(status);
		if (this.#snapshots.length < KEPT_MOST) this.#snapshots.push(snapshot);
		for (const response of this.#watching) send(response, 'second', snapshot);
	}

	/**
	 * Progress that is shown here too.
	 * @param {Progress} progress
	 * @returns {Progress}
	 */
	beside(progress) {
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
	 * @param {() => Promise<string>} [render]  gives the report's page, where there is one; asked when somebody watches
	 */
	async end(render) {
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

	/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
	async #answer({ url, headers }, response) {
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

	/** @param {import('node:http').ServerResponse} response */
	#watch(response) {
		response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		send(response, 'passed', this.#snapshots);
		this.#watching.add(response);
		response.on('close', () => this.#watching.delete(response));
	}
}

/** @type {(response: import('node:http').ServerResponse, event: string, data: object) => void} */
const send = (response, event, data) => void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** @type {(response: import('node:http').ServerResponse, page: string) => void} */
const give = (response, page) => void response.writeHead(200, { 'content-type': HTML, 'cache-control': 'no-store' }).end(page);

/** @type {(response: import('node:http').ServerResponse, status: number) => void} */
const refuse = (response, status) => void response.writeHead(status).end();

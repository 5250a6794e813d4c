/**
 * Shows a run while it goes on, on this machine alone: a page, and the seconds as they come (server-sent events,
 * https://html.spec.whatwg.org/multipage/server-sent-events.html). Nobody who does not look costs anything.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { renderLivePage } from './live-page.js';
import { LiveState } from './live-state.js';

const HOST = '127.0.0.1';
/** Of seconds; a browser that opens later gets those that passed. */
const KEPT_MOST = 3600;
/** A browser that watches goes on to the report as soon as it hears of it. */
const REPORT_LIMIT_MS = 3000;
const HTML = 'text/html; charset=utf-8';

export class LiveServer {
  #state = new LiveState();
  /** @type {import('./live-state.js').Snapshot[]} */
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

  /** @param {import('../../docker/containers.js').Service[]} services */
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

  /** @param {import('../../cli/progress.js').LoadStatus} status */
  load(status) {
    const snapshot = this.#state.snapshot(status);
    if (this.#snapshots.length < KEPT_MOST) this.#snapshots.push(snapshot);
    for (const response of this.#watching) send(response, 'second', snapshot);
  }

  /**
   * Progress that is shown here too.
   * @param {import('../../cli/progress.js').Progress} progress
   * @returns {import('../../cli/progress.js').Progress}
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

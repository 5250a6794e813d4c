/**
 * Reads the one-second record that k6's own dashboard writes (K6_WEB_DASHBOARD_RECORD), of runs that were measured when the lab took its
 * seconds from there. Now they are made of what k6's users write (k6-requests.js); what reads seconds knows no difference.
 *
 * Each line is an event. `param` names the aggregates of each metric type; `metric` announces metrics; a `snapshot`
 * holds one array of aggregates for every metric known so far, in the order of the metrics' names.
 *
 * The scenario counted what failed, and how long every request and every good one took. How many finished and how many were answered well follows, and is added here.
 */

/**
 * @typedef {object} Snapshot
 * @property {number} t  end of the second, seconds since 1970
 * @property {Record<string, Record<string, number>>} metrics  metric to aggregate to value, of this second alone
 */

const COUNTER_COUNT = 'count';

export class K6Record {
  /** @type {Record<string, string[]>} aggregates by metric type */
  #aggregates = {};
  /** @type {Map<string, string>} metric to its type */
  #types = new Map();
  /** @type {string[]} */
  #names = [];
  #rest = '';
  /** @type {Snapshot[]} */
  snapshots = [];
  /** k6 has ended by itself. */
  stopped = false;

  /**
   * @param {string} text a further piece of the file; it may end inside a line
   * @returns {Snapshot[]} the snapshots that it completed
   */
  feed(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const from = this.snapshots.length;
    for (const line of lines) if (line !== '') this.#read(JSON.parse(line));
    return this.snapshots.slice(from);
  }

  /** @param {{ event: string, data: any }} event */
  #read({ event, data }) {
    if (event === 'param') this.#aggregates = data.aggregates;
    else if (event === 'metric') this.#announce(data);
    else if (event === 'snapshot') this.#addSnapshot(data);
    else if (event === 'stop') this.stopped = true;
  }

  /** @param {Record<string, { type: string }>} metrics */
  #announce(metrics) {
    for (const [name, { type }] of Object.entries(metrics)) this.#types.set(name, type);
    this.#names = [...this.#types.keys()].sort();
  }

  /** @param {number[][]} columns */
  #addSnapshot(columns) {
    /** @type {Snapshot['metrics']} */
    const metrics = {};
    for (const [index, values] of columns.entries()) {
      const name = this.#names[index];
      if (name === undefined || values === null) continue;
      const aggregates = this.#aggregates[this.#types.get(name) ?? ''] ?? [];
      metrics[name] = Object.fromEntries(values.map((value, at) => [aggregates[at] ?? String(at), value]));
    }
    const { time } = metrics;
    if (time?.value === undefined) return;
    delete metrics.time;
    this.snapshots.push({ t: time.value / 1000, metrics: withCounts(metrics) });
  }
}

/**
 * While the load goes on, all requests are the load's: k6 counts those that ended in this second. A failure that the scenario counted just
 * after the second's end is taken off the next one.
 * @param {Snapshot['metrics']} metrics
 */
function withCounts(metrics) {
  const { http_reqs: requests, lab_failed: failed, lab_latency_all: waited, lab_finished: counted } = metrics;
  if (!waited || !requests || counted) return metrics;
  const ok = Math.max(0, requests.count - (failed?.count ?? 0));
  return { ...metrics, lab_finished: { count: requests.count }, lab_ok: { count: ok } };
}

/**
 * The same of k6's summary, which says of each time how many there are.
 * @template {{ metrics: Record<string, any> }} Summary
 * @param {Summary} summary
 * @returns {Summary}
 */
export function withTotals(summary) {
  const { lab_latency_all: all, lab_latency_ok: good, lab_finished: counted } = summary.metrics;
  if (!all || counted) return summary;
  const total = (/** @type {any} */ trend) => ({ type: 'counter', values: { count: trend?.values.count ?? 0 } });
  return { ...summary, metrics: { ...summary.metrics, lab_finished: total(all), lab_ok: total(good) } };
}

/**
 * @param {Snapshot} snapshot
 * @param {string} metric a counter
 * @returns {number} what it counted in this second; 0 when it was not there
 */
export const countOf = (snapshot, metric) => snapshot.metrics[metric]?.[COUNTER_COUNT] ?? 0;

/**
 * @param {Snapshot} snapshot
 * @param {string} metric
 * @param {string} aggregate such as `p(95)`
 * @returns {number | null}
 */
export const aggregateOf = (snapshot, metric, aggregate) => snapshot.metrics[metric]?.[aggregate] ?? null;

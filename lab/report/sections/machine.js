/**
 * What it ran on, and what each service was given and used.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../html.js').Piece} Piece
 */
import { RECORD } from '../../base/paths.js';
import { calibrationText } from '../calibration.js';
import { bytes, cores, count, figure, percent } from '../format.js';
import { html } from '../html.js';
import { variableTexts } from '../scenario.js';
import { numeric, table } from '../table.js';
import { inTierOrder } from '../tiers.js';
import { factList, section, tierChip } from './parts.js';

/** What a file is called where its name does not say it. @type {Record<string, string>} */
const NAMES = { [RECORD.k6Report]: "k6's own report" };

/** @type {(result: Result, files: string[]) => import('../html.js').Html} */
export function machineSection(result, files) {
  return section('machine', 'Machine and versions', [
    html`<h3>Resources</h3>`,
    resourceTable(result),
    ...(result.hosts ? [html`<h3>Hosts</h3>`, hostTable(result.hosts)] : []),
    html`<div class="columns"><div><h3>Machine</h3>${factList(machineFacts(result))}</div><div><h3>Versions</h3>${factList(Object.entries(result.versions))}</div></div>`,
    html`<p class="links">${files.length > 0 && 'In this folder: '}${files.map((file) => html`<a href="${file}">${NAMES[file] ?? file}</a> `)}</p>`,
  ]);
}

/** @param {Result} result */
function resourceTable({ resources }) {
  return table(
    'Resources',
    [{ title: 'Service' }, ...['CPU quota', 'CPU mean', 'CPU highest', 'Throttled', 'Memory mean', 'Memory highest'].map(numeric)],
    inTierOrder(Object.keys(resources), (service) => resources[service].tier).map((service) => resourceRow(service, resources[service])),
  );
}

/** @param {NonNullable<Result['hosts']>} hosts */
function hostTable(hosts) {
  return table(
    'Hosts',
    [{ title: 'Host' }, { title: 'Ran' }, ...['Cores', 'Busy', 'Memory'].map(numeric), { title: 'Clock' }, { title: 'System' }],
    hosts.map(({ name, beside, services, cores: number, busy_share: busy, memory_bytes: memory, os, kernel, engine, ...clock }) => [
      beside.length > 0 ? `${name} (the same machine as ${beside.join(', ')})` : name,
      services.join(', ') || 'nothing',
      count(number),
      percent(busy),
      bytes(memory),
      clockText(clock),
      `${os}, kernel ${kernel}, ${engine}`,
    ]),
  );
}

/** @param {Pick<NonNullable<Result['hosts']>[number], 'clock_offset_s' | 'clock_within_s'>} clock */
function clockText({ clock_offset_s: offset, clock_within_s: within }) {
  if (offset === null) return "the lab's own";
  return `${offset < 0 ? '−' : '+'}${milliseconds(Math.abs(offset))} ± ${milliseconds(within)}`;
}

/** @param {number | null} seconds */
const milliseconds = (seconds) => (seconds === null ? '–' : `${figure(seconds * 1000)} ms`);

/** @type {(service: string, resource: import('../../record/result.js').Resource) => Piece[]} */
const resourceRow = (service, resource) => [
  tierChip(resource.tier, service),
  resource.cpu_quota_cores === null ? 'none' : cores(resource.cpu_quota_cores),
  cores(resource.cpu_cores.mean),
  cores(resource.cpu_cores.max),
  percent(resource.cpu_throttled_fraction),
  bytes(resource.memory_bytes.mean),
  bytes(resource.memory_bytes.max),
];

/**
 * @param {Result} result
 * @returns {[string, string][]}
 */
function machineFacts(result) {
  const { machine, budget, calibration, load, load_title, run } = result;
  const variables = variableTexts(result).join(' ');
  return [
    ['run', run],
    .../** @type {[string, string][]} */ (variables ? [['variables', variables]] : []),
    ['load', `${load}: ${load_title}`],
    ['budget', budget],
    .../** @type {[string, string][]} */ (calibration ? [['calibration', calibrationText(calibration)]] : []),
    ['processor', `${machine.cpu_model}, ${count(machine.cores)} cores`],
    ['memory', bytes(machine.memory_bytes)],
    ['system', `${machine.os}, kernel ${machine.kernel}`],
    ['engine', machine.engine],
    ['images', machine.images],
  ];
}

/**
 * Which load `doubletake init` proposes: a k6 script that lies there, else an OpenAPI document, else requests that were recorded for other
 * programs, else one request that is to be edited.
 *
 * @typedef {import('../catalog/project-schema.js').ProjectLoad} ProjectLoad
 * @typedef {import('./find-load.js').Found} Found
 * @typedef {{ load: ProjectLoad, said: string[] }} ChosenLoad  said: of it, a sentence each
 * @typedef {{ entries: string[], hosts?: string[], services: string[], places?: Record<string, string> }} System  entries: URLs; hosts: names by
 *   which users ask these; services: of the Compose file; places: what is published at the machine's ports
 */
import { NotReadyError } from '../base/errors.js';
import { hostOfEntry, LOAD_DEFAULTS, PROJECT_FILE, placeholderFor } from '../catalog/project-schema.js';
import { urlHosts } from '../target/host-names.js';
import { ITSELF, machineAddresses } from '../target/machine-addresses.js';
import { requestsOf } from './load-requests.js';
import { recordedIn } from './recorded-requests.js';

const NAMED_MOST = 5;
/** Comments name pages of documentation; in a text `//` comes after a colon. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:\w'"`])\/\/.*$/gm;
/** A name that k6's own option `hosts` leads to the user's machine. */
const LED = /['"`]([\w.-]+)['"`]\s*:\s*['"`](?:127(?:\.\d+){3}|\[::1\]|::1|0\.0\.0\.0)(?::\d+)?['"`]/g;
/** Modules that k6 fetches are no addresses that it loads. */
const IMPORTED = /\b(?:from|import|require)\s*\(?\s*(['"])https?:[^'"]*\1/g;

/**
 * @param {import('./find-load.js').Candidates} candidates
 * @param {System} system
 * @returns {ChosenLoad}
 */
export function chooseLoad({ scripts, documents, recordings }, system) {
  const said = /** @type {string[]} */ ([]);
  for (const script of scripts) {
    const { outside, inside } = hostsOf(script.text, system);
    if (outside.length === 0) {
      const rest = others([...scripts, ...documents, ...recordings], script.file, said);
      return {
        load: { script: script.file },
        said: [
          `The load is ${script.file}: a k6 script${nearest(scripts, script)}.`,
          ...elsewhere(script, inside, system),
          ...said,
          ...rest,
        ],
      };
    }
    said.push(
      `? ${script.file} is a k6 script and was not taken as the load: it names ${outside.join(', ')}, outside of the run. Where it asks ${system.entries.join(', ')} alone, write script: ${script.file}.`,
    );
  }
  for (const document of documents) {
    const load = { openapi: document.file, ...LOAD_DEFAULTS };
    const found = countOf(load, document.text);
    if (typeof found === 'number') {
      const rest = others([...documents, ...recordings], document.file, said);
      const of = found === 1 ? 'one operation' : `${found} operations`;
      const why = `an OpenAPI document with ${of} that can be asked without harm`;
      return { load, said: [`The load is what ${document.file} describes: ${why}.`, ...said, ...rest] };
    }
    said.push(`? ${document.file} was not taken as the load: ${found}`);
  }
  for (const { file, text } of recordings) {
    const { title = '', urls = [], others: rest = 0 } = recordedIn(file, text) ?? {};
    if (urls.length === 0) {
      said.push(`? ${file} was not taken as the load: no request in it can be sent as it is without harm.`);
      continue;
    }
    const left = rest > 0 ? `; ${rest} others, which may change something or name somebody, are left out` : '';
    return {
      load: { urls, ...LOAD_DEFAULTS },
      said: [
        `The load is ${urls.length === 1 ? 'one request' : `${urls.length} requests`} of ${file}, ${title}${left}.`,
        ...said,
        ...others(recordings, file, said),
      ],
    };
  }
  return {
    load: placeholderFor({ entry: system.entries }),
    said: [
      `The load is a placeholder, "GET /"${system.entries.length > 1 ? ' of each entry' : ''}, asked again and again: edit load.urls in ${PROJECT_FILE}. Nothing that could be the load was ${said.length > 0 ? 'taken' : 'found'}.`,
      ...said,
    ],
  };
}

/** @param {Found[]} all @param {Found} one */
const nearest = (all, one) => (all.length > 1 && all[0] === one ? ', of several the nearest to the Compose file' : '');

/** @type {(all: Found[], chosen: string, said: string[]) => string[]} */
function others(all, chosen, said) {
  const names = all.map(({ file }) => file).filter((file) => file !== chosen && !said.some((text) => text.startsWith(`? ${file} `)));
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMED_MOST).join(', ');
  return [
    `? It could also be ${shown}${names.length > NAMED_MOST ? ` or one of ${names.length - NAMED_MOST} more` : ''}: then name that under load.`,
  ];
}

/** @type {(script: Found, inside: string[], system: System) => string[]} */
function elsewhere({ file, text }, inside, { entries: [entry], places = {} }) {
  const own = machineAddresses(text, places);
  const moved = own.filter(({ place }) => place !== null).map(({ address, place }) => `What it asks of ${address} is asked of ${place}.`);
  const lost = own.some(({ place }) => place === null);
  const left = inside.filter((host) => lost || !ITSELF.test(host));
  if (left.length === 0) return moved;
  const what = left.some((host) => ITSELF.test(host))
    ? 'to k6 in its container that is k6 itself'
    : 'so that its requests go past the entry';
  return [...moved, `? ${file} names ${left.join(', ')}: ${what}. Let it ask ${entry}, which it finds in __ENV.TARGET.`];
}

/**
 * Hosts of its addresses, but for the entries' and those by which users ask them.
 * @type {(text: string, system: System) => { outside: string[], inside: string[] }}
 */
export function hostsOf(text, { entries, hosts: named = [], services }) {
  const known = services.map((service) => service.toLowerCase());
  // What is put together there is not known.
  const hosts = urlHosts(text.replace(IMPORTED, '').replace(COMMENT, '')).filter((host) => /^[\w.:-]+$/.test(host));
  const led = [...text.matchAll(LED)].map(([, host]) => host.toLowerCase());
  const asked = [...entries.map((entry) => hostOfEntry(entry).toLowerCase()), ...named, ...led];
  const others = [...new Set(hosts)].filter((host) => !asked.includes(host));
  const isInside = (/** @type {string} */ host) => known.includes(host) || ITSELF.test(host);
  return { outside: others.filter((host) => !isInside(host)), inside: others.filter(isInside) };
}

/** @type {(load: ProjectLoad, text: string) => number | string} how many requests it makes, or why none */
function countOf(load, text) {
  try {
    return requestsOf(load, () => text).requests.length;
  } catch (error) {
    if (error instanceof NotReadyError) return error.problem.split('\n')[0];
    throw error;
  }
}

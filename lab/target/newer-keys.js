/**
 * What a Compose file says that the Compose of this machine is too old to know. It refuses the whole file for that, so that it is given a copy
 * without it. Pure.
 *
 * @typedef {{ file: string, path: string[], key: string }} Unknown  path: of what the key stands in
 */
import { isMap, parseDocument } from 'yaml';

/** That came with 2.20 and later. https://docs.docker.com/reference/compose-file/ */
const NEWER = [
  ...[
    'annotations',
    'attach',
    'develop',
    'gpus',
    'include',
    'interface_name',
    'label_file',
    'models',
    'post_start',
    'pre_stop',
    'provider',
  ],
  ...['entitlements', 'provenance', 'sbom', 'use_api_socket'],
];
/** In the place of what a provider makes: Compose wants an image, and hands nothing else on. */
const PROVIDED = 'doubletake-provided:';
const REFUSED = /validating (\S+): (\S+) additional propert(?:y|ies) '?([\w-]+)'?(?:,.*)? (?:is )?not allowed/i;

/**
 * @param {string} words  by which Compose refuses a file
 * @returns {Unknown | null} null where it is something else, or no version of Compose knows it
 */
export function unknownIn(words) {
  const [, file, place, key] = REFUSED.exec(words) ?? [];
  if (key === undefined || !NEWER.includes(key)) return null;
  return { file, path: place === '(root)' ? [] : place.split('.'), key };
}

/**
 * @param {string} text  of the file
 * @param {Pick<Unknown, 'path' | 'key'>} unknown
 * @returns {string | null} without it, wherever it stands as there; null where it is not found
 */
export function withoutKey(text, { path, key }) {
  const document = parseDocument(text, { logLevel: 'silent' });
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (document.errors.length > 0 || !isMap(node) || !node.has(key)) return null;
  if (key === 'provider') {
    const type = String(document.getIn([...path, key, 'type']) ?? '');
    node.set('image', `${PROVIDED}${type.replace(/[^\w.-]/g, '') || 'unknown'}`);
  }
  node.delete(key);
  return document.toString({ lineWidth: 0 });
}

/**
 * What a provider makes is no container, as where Compose knows it.
 * @param {{ services?: Record<string, any> }} config  as Compose has resolved such copies
 */
export function restoreProviders({ services = {} }) {
  for (const found of Object.values(services)) {
    if (!found.image?.startsWith(PROVIDED)) continue;
    found.provider = { type: found.image.slice(PROVIDED.length) };
    delete found.image;
  }
}

/** @param {Unknown[]} unknown @param {string} version  of Compose @returns {string[]} a sentence for each key */
export const aboutNewer = (unknown, version) =>
  [...new Set(unknown.map(({ key }) => key))].map((key) => {
    const places = unknown.filter((one) => one.key === key).map(({ path }) => path[1] ?? 'the file itself');
    return `${key} (${[...new Set(places)].join(', ')}): Compose ${version} does not know it, and the run is without.`;
  });

/**
 * Which other services the files of a service name: its configuration (mounted, given by Compose as one or as a secret, copied into its
 * image, or written by its command), and its code, where that lies here. Files are secrets: of them nothing but names of services, of the
 * files themselves, and of the sites that a configuration tells apart, is in what is returned.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {object} Mention
 * @property {string} host     by which another service is reached
 * @property {string} reason   one clause
 * @property {boolean} isCode  of a program, which may name what it asks in another case alone
 * @property {boolean} [isHttp]  it stands in a URL of HTTP
 * @property {boolean} [isSocket]  asked through a socket of a folder that both have
 * @property {boolean} [isAmbiguous]  a host only if it is that of a store
 * @typedef {{ mentions: Mention[], hasConfiguration: boolean, sites: string[] }} Named  hasConfiguration: one was read that is whole, whomever it
 *   names; sites: names of hosts that it tells apart
 *
 * @typedef {{ name: string, text: string }} Text  name: of its file
 *
 * @typedef {object} Disk
 * @property {(path: string) => string | null} read  null where there is no such text
 * @property {(path: string) => { name: string, isFolder: boolean }[]} list  of a folder; none where there is none
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { siteNames } from '../adapters/site-names.js';
import { copiesIn } from './dockerfile.js';
import { hostsInHttp, withoutMachine } from './host-names.js';
import { hostsInText, storesInCode, withoutComments } from './hosts-in-text.js';
import { placesOnMachine } from './machine-addresses.js';
import { serversAtSockets } from './shared-sockets.js';

/** A configuration or a source of a program is shorter. */
const BYTES_MOST = 256 << 10;
/** Of a service. `init` takes a second. */
const FILES_MOST = 200;
const ENTRIES_MOST = 5000;
const DEPTH_MOST = 4;
/** Where programs look for their configuration in a container. */
const CONFIGURATION =
  /^\/(etc|config|conf)(\/|$)|\/(etc|conf|config)(\/|$)|\.(conf|cfg|ini|ya?ml|toml|json|properties|xml|template)$|file$/i;
/** Says that a file is no part of one whose rest lies elsewhere. */
const LISTENS = /\b(listen|bind|root|file_server|reverse_proxy|VirtualHost|entryPoints)\b/i;
/** They lie beside configurations, and are none. */
const CERTIFICATE = /^\s*-----BEGIN /;
/** Folders of the machine, whose files say nothing of a system. */
const OF_MACHINE = /^\/($|(bin|boot|dev|etc|lib|lib64|proc|run|sbin|sys|usr)(\/|$)|var\/(lib|log|run)(\/|$)|var\/?$)/;
const CODE =
  /\.(c?js|mjs|tsx?|jsx|py|rb|php|go|java|kt|scala|cs|fs|rs|exs?|clj|pl|lua|ya?ml|json|toml|ini|properties|conf|cfg)$|^\.env(\.(local|development|production))?$/i;
/** They name all services. */
const OF_COMPOSE = /^(docker-)?(compose|stack)[\w.-]*\.ya?ml$|^docker-(compose|stack)|^doubletake\.yaml$/i;
const LOCKED = /(^|[-.])lock\b|-lock\.(json|ya?ml)$/i;
/** Of others, of builds, of tests and of documents. */
const LEFT_OUT =
  /^(\..*|node_modules|vendor|dist|build|target|coverage|venv|__pycache__|reports|tests?|__tests__|specs?|docs?|examples?|deploy|k8s|charts|helm|terraform|ansible|e2e)$/i;

/** @type {Disk} */
export const DISK = {
  read(path) {
    try {
      const about = statSync(path);
      if (!about.isFile() || about.size > BYTES_MOST) return null;
      const text = readFileSync(path, 'utf8');
      return text.includes('\0') ? null : text;
    } catch {
      return null;
    }
  },
  list(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    } catch {
      return [];
    }
  },
};

/**
 * @param {AttachedService[]} models
 * @param {any} config  as Compose has resolved it, of which they are
 * @param {Disk} [disk]
 * @returns {(AttachedService & Named)[]} for a guess alone
 */
export function withNamedFiles(models, config, disk = DISK) {
  const names = new Set(models.flatMap((model) => model.names.map((name) => name.toLowerCase())));
  const places = placesOnMachine(models);
  const configured = models.flatMap(({ service, mounts }) =>
    mounts.flatMap(({ type, source, target }) => (type === 'bind' && CONFIGURATION.test(target) ? [{ service, source }] : [])),
  );
  return models.map((model) => {
    const mentionsIn = (/** @type {Text[]} */ files, /** @type {(text: string) => string[]} */ hostsIn, /** @type {object} */ about) =>
      files.flatMap(({ name, text }) => {
        const inHttp = hostsInHttp(text);
        return hostsIn(text)
          .filter((host) => names.has(host))
          .map((host) => ({ host, reason: `named in ${name}`, isCode: true, isHttp: inHttp.includes(host), ...about }));
      });
    const hostsIn = (/** @type {string} */ text) => hostsInText(withoutMachine(text, places), model.environment);
    const serversIn = (/** @type {string} */ text) => serversAtSockets(withoutComments(text), model, models);
    const configuration = configurationOf(model, config, disk);
    const ofOthers = configured.filter(({ service }) => service !== model.service).map(({ source }) => source);
    const code = codeFolders(model, config).flatMap(({ folder, without }) =>
      textsBelow(folder, disk, { is: isCode, without: [...without, ...ofOthers] }),
    );
    return {
      ...model,
      mentions: [
        ...mentionsIn(configuration, hostsIn, { isCode: false }),
        ...mentionsIn(configuration, serversIn, { isCode: false, isSocket: true }),
        ...mentionsIn(code, hostsIn, {}),
        ...mentionsIn(code, storesInCode, { isAmbiguous: true }),
      ],
      hasConfiguration: configuration.some(({ text }) => LISTENS.test(text)),
      sites: [...new Set(configuration.flatMap(({ text }) => siteNames(text)))],
    };
  });
}

/** @param {string} name */
const isCode = (name) => CODE.test(name) && !OF_COMPOSE.test(name) && !LOCKED.test(name);

/** @type {(model: AttachedService, config: any, disk: Disk) => Text[]} */
function configurationOf({ service, mounts, command }, config, disk) {
  const found = config.services[service] ?? {};
  const given = (found.configs ?? []).flatMap((/** @type {{ source: string, target?: string }} */ { source, target = source }) => {
    const { file, content } = config.configs?.[source] ?? {};
    const text = content ?? (file ? disk.read(file) : null);
    return text === null ? [] : [{ name: file ? basename(file) : `the config ${basename(target)}`, text }];
  });
  const secrets = (found.secrets ?? []).flatMap((/** @type {{ source: string }} */ { source }) => {
    const { file } = config.secrets?.[source] ?? {};
    const text = file ? disk.read(file) : null;
    return text === null ? [] : [{ name: `the secret ${source}`, text }];
  });
  const places = [
    ...mounts.filter(({ type }) => type === 'bind').map(({ source, target }) => ({ source, target })),
    ...copiesOf(found.build, disk),
  ];
  const lying = places.flatMap(({ source, target }) => {
    if (!CONFIGURATION.test(target)) return [];
    const text = disk.read(source);
    if (text !== null) return [{ name: basename(source), text }];
    return OF_MACHINE.test(source) ? [] : textsBelow(source, disk, { is: (name) => !OF_COMPOSE.test(name), without: [] });
  });
  // A script may write a whole configuration.
  const written = command.filter((word) => word.includes('\n')).map((text) => ({ name: 'its command', text }));
  return [...given, ...secrets, ...lying, ...written].filter(({ text }) => text.trim() !== '' && !CERTIFICATE.test(text));
}

/** What a Dockerfile copies into the image. @type {(build: any, disk: Disk) => { source: string, target: string }[]} */
function copiesOf(build, disk) {
  if (!build?.context) return [];
  const text = build.dockerfile_inline ?? disk.read(resolve(build.context, build.dockerfile ?? 'Dockerfile')) ?? '';
  return copiesIn(text).flatMap(({ sources, target }) =>
    sources.flatMap((source) =>
      matching(join(build.context, source), disk).map((path) => ({
        source: path,
        target: target.endsWith('/') ? `${target}${basename(path)}` : target,
      })),
    ),
  );
}

/** `conf/*.conf` @type {(path: string, disk: Disk) => string[]} */
function matching(path, disk) {
  const name = basename(path);
  if (!name.includes('*')) return [path];
  const [before, after] = name.split('*');
  return disk
    .list(dirname(path))
    .filter((entry) => entry.name.startsWith(before) && entry.name.endsWith(after))
    .map((entry) => join(dirname(path), entry.name));
}

/**
 * Where a service's own code lies: in the folder that it is built from, and in those that are mounted over it. Of a folder that several
 * programs are built from nobody knows which of its files are whose; what is mounted as the configuration of another is that one's.
 * @type {(model: AttachedService, config: any) => { folder: string, without: string[] }[]}
 */
function codeFolders({ service, mounts, context }, config) {
  /** @type {[string, any][]} */
  const services = Object.entries(config.services ?? {});
  const recipeOf = (/** @type {any} */ { dockerfile, target, args, dockerfile_inline: inline } = {}) =>
    JSON.stringify([dockerfile, target, args, inline]);
  const built = services.flatMap(([name, { build }]) =>
    build?.context ? [{ name, folder: resolve(build.context), recipe: recipeOf(build) }] : [],
  );
  const own = built.find(({ name }) => name === service);
  const worksIn = String(config.services?.[service]?.working_dir ?? '');
  const isShared = built.some(({ folder, recipe }) => folder === own?.folder && recipe !== own.recipe);
  const mounted = mounts
    .filter(({ type, target, source }) => type === 'bind' && !CONFIGURATION.test(target) && !OF_MACHINE.test(source))
    .map(({ source, target }) => resolve(source, relative(target, worksIn.startsWith(`${target}/`) ? worksIn : target)));
  const contexts = context === '' || isShared ? [] : [resolve(context)];
  const others = built.filter(({ name, folder }) => name !== service && folder !== own?.folder).map(({ folder }) => folder);
  // All programs lie in it, and of them its own.
  const isOfAll = (/** @type {string} */ folder) =>
    [contexts, others].every((places) => places.some((place) => place.startsWith(`${folder}/`)));
  const folders = [...new Set([...contexts, ...mounted.filter((folder) => !isOfAll(folder))])];
  return folders.map((folder) => ({ folder, without: others }));
}

/** Breadth first. @type {(folder: string, disk: Disk, which: { is: (name: string) => boolean, without: string[] }) => Text[]} */
function textsBelow(folder, disk, { is, without }) {
  /** @type {Text[]} */
  const texts = [];
  let looked = 0;
  let level = [folder];
  for (let depth = 0; depth <= DEPTH_MOST && level.length > 0; depth += 1) {
    const next = /** @type {string[]} */ ([]);
    for (const place of level) {
      for (const { name, isFolder } of disk.list(place)) {
        looked += 1;
        if (texts.length === FILES_MOST || looked > ENTRIES_MOST) return texts;
        const path = join(place, name);
        if (isFolder && !LEFT_OUT.test(name) && !without.includes(path)) next.push(path);
        const text = !isFolder && is(name) && !without.includes(path) ? disk.read(path) : null;
        if (text !== null) texts.push({ name, text });
      }
    }
    level = next;
  }
  return texts;
}

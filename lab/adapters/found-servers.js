/**
 * Proxies that find their servers by the engine's socket: which service is one, and whom it sends what, as labels and variables of its
 * servers say.
 *
 * @typedef {import('./contract.js').ServiceModel & { labels: Record<string, string>, published: number[], looksInto?: string[] }} Labelled
 * @typedef {{ hosts: string[], paths: string[] }} Asked  hosts: none where any will do; paths: `/` where nothing else is said
 *
 * @typedef {object} Route
 * @property {string} from       service of the proxy
 * @property {string} to         service that it sends requests to
 * @property {string[]} hosts    by which users ask for it; none where any will do
 * @property {string[]} paths    that are served, the first for a beginning
 * @property {string} reason     one clause
 *
 * @typedef {object} Scheme
 * @property {(proxy: Labelled, models: Labelled[]) => boolean} finds  it is a proxy that reads these, or has them read for it
 * @property {(server: Labelled, about: { proxy: Labelled, project: string }) => Asked | null} asked  null: nothing says that it is a server
 * @property {string} reason
 */
import { parse } from 'yaml';
import { imagePath } from './proxy-detection.js';
import { programsOf } from './recognise.js';

/** Of what is mounted; that of containerd speaks another language. */
export const ENGINE_API_SOCKET = /\/(docker|podman)\.sock$/;
/** Passes on to others what the engine's socket says. */
const RELAY = /(^|[/-])(socket-?proxy|dockerproxy)$/;
/** Variables by which servers say what they are to be sent; of others nobody needs to know what they hold. */
const ROUTING =
  /^(VIRTUAL_\w+|LETSENCRYPT_HOST|CERT_NAME|HTTPS?_(METHOD|PORT)|HSTS|SSL_POLICY|NETWORK_ACCESS|SERVER_TOKENS|DEFAULT_HOST|ENABLE_HTTP[23]|NON_GET_REDIRECT|LOADBALANCE|SERVICE_(\d+_)?(NAME|TAGS|IGNORE))$/;

/** @param {string} name of a variable */
export const routesBy = (name) => ROUTING.test(name);

/** @param {Pick<Labelled, 'service' | 'image' | 'mounts'>} model */
export const relaysSocket = (model) => hasSocket(model) && (RELAY.test(imagePath(model.image)) || RELAY.test(model.service));

/** Writes the configuration of a proxy that is another container, from what the engine's socket says. */
const GENERATOR = /(^|[/-])docker-?gen$/;

/** @param {Pick<Labelled, 'image' | 'command' | 'mounts'>} model */
export const writesRoutes = (model) =>
  hasSocket(model) && (GENERATOR.test(imagePath(model.image)) || programsOf(model.command).some((program) => GENERATOR.test(program)));

/** What it writes lies where the proxy reads it. @type {(proxy: Labelled, models: Labelled[]) => boolean} */
function isWrittenFor(proxy, models) {
  const places = (/** @type {Labelled} */ { mounts }) => mounts.filter(({ source }) => source !== '' && !ENGINE_API_SOCKET.test(source));
  return (
    proxy.published.length > 0 &&
    models.some(
      (model) =>
        model !== proxy &&
        writesRoutes(model) &&
        (model.looksInto?.includes(proxy.service) ||
          places(model).some(({ source }) => places(proxy).some((other) => other.source === source))),
    )
  );
}

/** @param {Pick<Labelled, 'mounts'>} model */
const hasSocket = ({ mounts }) => mounts.some(({ source }) => ENGINE_API_SOCKET.test(source));

/** @type {Scheme[]} */
const SCHEMES = [
  {
    reason: 'found by its labels',
    finds: ({ image, command }) => /(^|\/)traefik$/.test(imagePath(image)) || programsOf(command).includes('traefik'),
    asked: byRouters,
  },
  {
    reason: 'found by its VIRTUAL_HOST',
    finds: (proxy, models) => /(^|\/)nginx-proxy$/.test(imagePath(proxy.image)) || isWrittenFor(proxy, models),
    asked: ({ environment }) => byVirtualHost(environment),
  },
  {
    reason: 'found by its labels',
    finds: ({ image, command, environment }) =>
      /(^|\/)caddy-docker-proxy$/.test(imagePath(image)) || command.includes('docker-proxy') || 'CADDY_INGRESS_NETWORKS' in environment,
    asked: ({ labels }) => bySites(labels),
  },
];

/**
 * @param {Labelled[]} models
 * @param {string} [project]  Compose's name of it, which names by default are made of
 * @returns {Route[]} of each proxy
 */
export function routesIn(models, project = '') {
  return SCHEMES.flatMap(({ finds, asked, reason }) =>
    proxiesAmong(models, finds).flatMap((proxy) =>
      models.flatMap((server) => {
        const found = server === proxy ? null : asked(server, { proxy, project });
        return found === null ? [] : [{ from: proxy.service, to: server.service, ...found, reason }];
      }),
    ),
  );
}

/** Of a program that nobody knows its socket says that it is one. @type {(models: Labelled[], finds: Scheme['finds']) => Labelled[]} */
function proxiesAmong(models, finds) {
  const known = models.filter((model) => finds(model, models));
  if (known.length > 0) return known;
  return models.filter((model) => model.published.length > 0 && hasSocket(model) && !SCHEMES.some((scheme) => scheme.finds(model, models)));
}

/** https://doc.traefik.io/traefik/routing/routers/ and, of its first version, https://doc.traefik.io/traefik/v1.7/basics/ */
const ROUTER = /^traefik\.(?:http\.routers\.([^.]+)|frontend)\.rule$/i;
const OF_ITSELF = /@internal$/;
const MATCHER = /(?<!!)\b(Host|Path|PathPrefix)(?:\(([^)]*)\)|:([^;]*))/gi;
/** Of a rule that a server does not have, the default. */
const BY_NAME = /\{\{\s*(?:normalize\s+)?\.Name\s*\}\}/g;
const DEFAULT_RULE = 'Host(`{{ normalize .Name }}`)';

/** @type {Scheme['asked']} */
function byRouters({ service, labels }, { proxy, project }) {
  const own = Object.entries(labels).filter(([name]) => /^traefik\./i.test(name));
  const labelOf = (/** @type {string} */ wanted) => own.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
  if (own.length === 0 || labelOf('traefik.enable') === 'false') return null;
  const isTcpAlone = own.some(([name]) => /^traefik\.tcp\./i.test(name)) && !own.some(([name]) => /^traefik\.http\./i.test(name));
  if (isTcpAlone) return { hosts: [], paths: ['/'] };
  const rules = own.flatMap(([name, rule]) => {
    const [found, router] = ROUTER.exec(name) ?? [];
    return found === undefined || OF_ITSELF.test(labelOf(`traefik.http.routers.${router}.service`) ?? '') ? [] : [rule];
  });
  if (rules.length > 0) return inRules(rules);
  const written = optionOf(proxy, 'providers.docker.defaultrule') ?? DEFAULT_RULE;
  const name = `${service}-${project}`.replaceAll(/[^a-z\d]+/gi, '-');
  return inRules([written.replaceAll(BY_NAME, name)]);
}

/** @type {(proxy: Labelled, wanted: string) => string | undefined} */
function optionOf({ command, environment }, wanted) {
  const word = command.find((one) => one.toLowerCase().startsWith(`--${wanted}=`));
  return word?.slice(wanted.length + 3) ?? environment[`TRAEFIK_${wanted.toUpperCase().replaceAll('.', '_')}`];
}

/** @param {string[]} rules @returns {Asked} */
function inRules(rules) {
  const found = rules.flatMap((rule) =>
    [...rule.matchAll(MATCHER)].flatMap(([, matcher, quoted, plain]) =>
      (quoted ?? plain).split(',').map((text) => ({ isHost: /^host$/i.test(matcher), text: text.trim().replace(/^[`"']|[`"']$/g, '') })),
    ),
  );
  return asked(
    found.filter(({ isHost }) => isHost).map(({ text }) => text),
    found.filter(({ isHost }) => !isHost).map(({ text }) => text),
  );
}

/** https://github.com/nginx-proxy/nginx-proxy/tree/main/docs @param {Record<string, string>} environment @returns {Asked | null} */
function byVirtualHost({ VIRTUAL_HOST: hosts = '', VIRTUAL_PATH: path = '/', VIRTUAL_HOST_MULTIPORTS: several = '' }) {
  if (hosts === '' && several === '') return null;
  /** @type {[string, object][]} */
  const listed = several === '' ? [] : Object.entries(parse(several, { logLevel: 'silent' }) ?? {});
  return asked(
    [...hosts.split(','), ...listed.map(([host]) => host)],
    [...(hosts === '' ? [] : [path]), ...listed.flatMap(([, one]) => Object.keys(one ?? {}))],
  );
}

/** https://github.com/lucaslorentz/caddy-docker-proxy#labels-to-caddyfile-conversion */
const SITE = /^caddy(_\d+)?$/;
const MATCHED = /^caddy(_\d+)?\.(\d+_)?(handle|handle_path|route|reverse_proxy)(_\d+)?$/;

/** @param {Record<string, string>} labels @returns {Asked | null} */
function bySites(labels) {
  const sites = Object.entries(labels).filter(([name, value]) => SITE.test(name) && !value.startsWith('('));
  if (sites.length === 0) return null;
  const addresses = sites.flatMap(([, value]) => value.split(/[\s,]+/)).map((address) => address.replace(/^https?:\/\//, ''));
  const matched = Object.entries(labels).flatMap(([name, value]) =>
    MATCHED.test(name) && value.startsWith('/') ? [value.split(/\s/)[0]] : [],
  );
  return asked(
    addresses.map((address) => address.replace(/[:/].*$/, '')),
    matched,
  );
}

/** What stands for many names is one of them; what is an expression is none. @type {(hosts: string[], paths: string[]) => Asked} */
function asked(hosts, paths) {
  const plain = hosts.map((host) => host.trim().replace(/^\*\./, 'www.').toLowerCase()).filter((host) => /^[a-z\d][a-z\d.-]*$/.test(host));
  const begun = paths.map((path) => path.replace(/\*.*$/, '')).filter((path) => /^\/[\w./~-]*$/.test(path));
  return { hosts: [...new Set(plain)], paths: begun.length === 0 ? ['/'] : [...new Set(begun)] };
}

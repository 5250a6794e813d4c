import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relaysSocket, routesBy, routesIn, writesRoutes } from './found-servers.js';

const SOCKET = { type: 'bind', source: '/var/run/docker.sock', target: '/tmp/docker.sock', readOnly: true };

/** @param {string} service @param {Partial<import('./found-servers.js').Labelled>} [more] @returns {import('./found-servers.js').Labelled} */
const one = (service, more = {}) => ({
  ...{
    service,
    image: `acme/${service}`,
    command: [],
    environment: {},
    ports: [],
    dependsOn: [],
    mounts: [],
    networks: ['default'],
    replicas: 1,
  },
  ...{ labels: {}, published: [], ...more },
});
const traefik = one('edge', { image: 'traefik:v3.3', published: [80], mounts: [SOCKET] });

/** @param {import('./found-servers.js').Labelled} proxy @param {Record<string, string>} labels */
const routeOf = (proxy, labels) => {
  const [route] = routesIn([proxy, one('web', { labels })], 'shop');
  return route && [route.from, route.to, route.hosts, route.paths];
};

test('rules of routers say who is asked, by which host and path', () => {
  const of = (/** @type {string} */ rule) => routeOf(traefik, { 'traefik.http.routers.web.rule': rule });
  assert.deepEqual(of('Host(`shop.test`)'), ['edge', 'web', ['shop.test'], ['/']]);
  assert.deepEqual(of('Host("a.test") || Host(`b.test`, `c.test`)')?.[2], ['a.test', 'b.test', 'c.test']);
  assert.deepEqual(of('Host(`a.test`) && PathPrefix(`/api`) && !Path(`/api/x`)'), ['edge', 'web', ['a.test'], ['/api']]);
  assert.deepEqual(of('HostRegexp(`.+`) && Method(`GET`)'), ['edge', 'web', [], ['/']]);
  assert.deepEqual(routeOf(traefik, { 'traefik.frontend.rule': 'Host:a.test,b.test;PathPrefix:/x' }), [
    'edge',
    'web',
    ['a.test', 'b.test'],
    ['/x'],
  ]);
});

test('without a rule the default one counts, with the names that its owner knows', () => {
  assert.deepEqual(routeOf(traefik, { 'traefik.enable': 'true' })?.[2], ['web-shop']);
  const ruled = { ...traefik, command: ['--providers.docker.defaultRule=Host(`{{ normalize .Name }}.test`)'] };
  assert.deepEqual(routeOf(ruled, { 'traefik.enable': 'true' })?.[2], ['web-shop.test']);
});

test('what is switched off, or has no label, is nobody’s server; nor is the proxy’s own page', () => {
  assert.equal(routeOf(traefik, { 'traefik.enable': 'false', 'traefik.http.routers.web.rule': 'Host(`a.test`)' }), undefined);
  assert.equal(routeOf(traefik, { 'com.example': 'x' }), undefined);
  const labels = { 'traefik.http.routers.page.rule': 'Host(`page.test`)', 'traefik.http.routers.page.service': 'api@internal' };
  assert.deepEqual(routesIn([{ ...traefik, labels }], 'shop'), []);
});

test('VIRTUAL_HOST says it too, for one port or for several', () => {
  const proxy = one('edge', { image: 'nginxproxy/nginx-proxy:1.6', published: [80] });
  const of = (/** @type {Record<string, string>} */ environment) => routesIn([proxy, one('web', { environment })], 'shop')[0];
  assert.deepEqual(of({ VIRTUAL_HOST: 'a.test,*.b.test,~^x' })?.hosts, ['a.test', 'www.b.test']);
  assert.deepEqual(of({ VIRTUAL_HOST: 'a.test', VIRTUAL_PATH: '/api/' })?.paths, ['/api/']);
  const several = of({ VIRTUAL_HOST_MULTIPORTS: 'a.test:\n  "/":\n    port: 80\n  "/api": { port: 90 }\n' });
  assert.deepEqual([several?.hosts, several?.paths], [['a.test'], ['/', '/api']]);
  assert.equal(of({}), undefined);
});

test('addresses of sites say it as well', () => {
  const proxy = one('edge', { image: 'lucaslorentz/caddy-docker-proxy:2.9', published: [80] });
  assert.deepEqual(routeOf(proxy, { caddy: 'http://a.test, b.test:8443', 'caddy.reverse_proxy': '{{upstreams 80}}' }), [
    'edge',
    'web',
    ['a.test', 'b.test'],
    ['/'],
  ]);
  assert.deepEqual(routeOf(proxy, { caddy_0: ':80', 'caddy_0.handle_path': '/api/*' }), ['edge', 'web', [], ['/api/']]);
  assert.equal(routeOf(proxy, { caddy: '(snippet)' }), undefined);
});

test('of a program that nobody knows its socket says that it finds its servers', () => {
  const edge = one('edge', { published: [80], mounts: [SOCKET] });
  assert.deepEqual(routeOf(edge, { 'traefik.http.routers.web.rule': 'Host(`a.test`)' })?.slice(0, 3), ['edge', 'web', ['a.test']]);
  assert.equal(routeOf({ ...edge, mounts: [] }, { caddy: 'a.test' }), undefined);
});

test('what passes the socket on to others is known by its name', () => {
  for (const image of [
    'tecnativa/docker-socket-proxy:0.3',
    'lscr.io/linuxserver/socket-proxy',
    'ghcr.io/tecnativa/docker-socket-proxy:edge',
  ])
    assert.ok(relaysSocket(one('x', { image, mounts: [SOCKET] })), image);
  assert.ok(relaysSocket(one('dockerproxy', { mounts: [SOCKET] })));
  assert.ok(!relaysSocket(one('socket-proxy')) && !relaysSocket(one('portainer', { mounts: [SOCKET] })));
});

test('variables that say whom to send what are kept, and no other', () => {
  for (const name of ['VIRTUAL_HOST', 'VIRTUAL_PORT', 'LETSENCRYPT_HOST', 'HTTPS_METHOD', 'SERVICE_80_NAME'])
    assert.ok(routesBy(name), name);
  for (const name of ['PASSWORD', 'DATABASE_URL', 'HTTPS_PROXY', 'MY_VIRTUAL_HOST', 'LETSENCRYPT_EMAIL']) assert.ok(!routesBy(name), name);
});

test('a program of its own that writes a proxy’s configuration makes a proxy of what reads it', () => {
  const conf = { type: 'volume', source: 'conf', target: '/etc/nginx/conf.d', readOnly: false };
  const nginx = one('nginx', { image: 'nginx:1.27', published: [80], mounts: [conf] });
  const web = one('web', { environment: { VIRTUAL_HOST: 'a.test' } });
  const generator = one('gen', { image: 'nginxproxy/docker-gen:0.14', mounts: [conf, SOCKET] });
  assert.deepEqual([generator, { ...generator, mounts: [conf] }, nginx].map(writesRoutes), [true, false, false]);
  assert.deepEqual(
    routesIn([nginx, generator, web]).map(({ from, to, hosts }) => [from, to, hosts]),
    [['nginx', 'web', ['a.test']]],
  );
  const byVolumes = { ...one('gen', { image: 'acme/gen', command: ['docker-gen', '-watch'], mounts: [SOCKET] }), looksInto: ['nginx'] };
  assert.equal(routesIn([nginx, byVolumes, web]).length, 1);
  assert.deepEqual(routesIn([nginx, one('gen', { image: 'nginxproxy/docker-gen', mounts: [SOCKET] }), web]), []);
});

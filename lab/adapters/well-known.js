/**
 * What products are known to be, by the names of their images and the ports they listen on. It only serves to guess the tier of a
 * service that no adapter takes; nothing else follows from it, and the user can correct it.
 *
 * @typedef {import('./contract.js').Tier} Tier
 * @typedef {{ name: string, tier: Tier | null }} Known  tier null: no request of a user passes it
 */

/** @param {string} names */
const list = (names) => names.trim().split(/\s+/);

/**
 * First match wins, so that a tool for a database comes before the database.
 * @type {{ tier: Tier | null, names: string[] }[]}
 */
const KINDS = [
  {
    tier: null,
    names: list(`
      acme-companion adminer akhq alertmanager artillery autoheal cadvisor certbot cloudbeaver cloudflared cp-enterprise-control-center
      diun docker-gen docker-socket-proxy dockerproxy dozzle flower fluent-bit fluentd grafana jaeger jmeter k6 kafdrop kafka-ui kibana
      locust loki maildev mailhog mailpit mongo-express ngrok ofelia opentelemetry-collector otel-collector pgadmin pghero phpmyadmin
      portainer prometheus promtail redis-commander redisinsight redpanda-console selenium seq socket-proxy tailscale tempo watchtower
      zipkin`),
  },
  { tier: 'pool', names: list('maxscale mysql-router odyssey pgbouncer pgcat pgpool proxysql supavisor') },
  { tier: 'cache', names: list('dragonfly garnet hazelcast keydb memcached redis redis-server valkey valkey-server') },
  {
    tier: 'queue',
    names: list(`
      activemq artemis beanstalkd cp-kafka cp-server cp-zookeeper elasticmq emqx kafka mosquitto nats nats-server nsq pulsar rabbitmq
      rabbitmq-server redpanda zookeeper`),
  },
  {
    tier: 'database',
    names: list(`
      arangodb azure-sql-edge cassandra chroma clickhouse cockroach cockroachdb couchdb dgraph dynamodb-local elasticsearch etcd
      ferretdb firebird influxdb mariadb mariadbd meilisearch milvus minio mongo mongod mongodb mssql mysql mysqld neo4j opensearch
      oracle-free oracle-xe percona pgvector postgis postgres postgresql qdrant questdb rethinkdb scylla solr surrealdb tidb timescaledb
      typesense weaviate yugabyte`),
  },
  {
    tier: 'load-balancer',
    names: list(
      'apache2 apachectl apisix caddy envoy haproxy httpd kong nginx openresty swag tengine traefik tyk-gateway varnish varnishd',
    ),
  },
  {
    tier: 'app',
    names: list(`
      aspnet bun daphne deno dotnet eclipse-temurin golang gotenberg gunicorn hypercorn imgproxy java jetty libretranslate localai node
      npm ollama openjdk php php-fpm puma python python3 rails ruby tika tomcat unicorn uvicorn uwsgi vllm whoami wildfly wordpress yarn`),
  },
];

/** What does the work that requests leave behind is asked by nobody, and takes it from a queue or a clock. */
const WORKERS =
  /(^|[-_.])(worker|consumer|celery|beat|cron|crond|scheduler|queue|sidekiq|horizon|resque|jobs?|mailer|backups?)(worker|beat|s)?[-_.]?\d*($|[-_.])/i;
const WORK =
  /(^|[\s/])(queue:(work|listen)|schedule:(run|work)|horizon|sidekiq|celery\s.*\b(worker|beat)|messenger:consume|rq worker|resque|que|good_job|jobs:work|solid_queue|crond?|supercronic|dramatiq|arq|huey_consumer)(\.(sh|py))?(?=[\s;&|]|$)/i;

/** What asks in the place of users, as a demonstration brings it along. */
const LOADS = /(^|[-_.])(load[-_]?(gen|generator|test|tester)|traffic[-_]?(gen|generator)|locust|k6)($|[-_.])/i;

/** An exporter of any product's figures asks that product, and is not asked by users. */
const EXPORTER = /[-_]exporter$/;

/** Where these products listen unless they are told otherwise. @type {[Tier, number[]][]} */
const PORTS = [
  ['pool', [6033, 6432]],
  ['cache', [6379, 11211]],
  ['queue', [1883, 4222, 5672, 6650, 9092, 11300, 61616]],
  ['database', [1433, 1521, 3306, 5432, 5984, 7687, 8086, 9042, 9200, 26257, 27017]],
];

/** Where programs of users listen whose images say so, where these are not there. @type {Record<string, number>} */
const IMAGE_PORTS = {
  ...{ caddy: 80, drupal: 80, httpd: 80, joomla: 80, matomo: 80, nextcloud: 80, nginx: 80, traefik: 80, whoami: 80, wordpress: 80 },
  ...{ ghost: 2368, gitea: 3000, jenkins: 8080, n8n: 5678, odoo: 8069, redmine: 3000, tomcat: 8080, wiki: 3000 },
};

/** Pages for operators: HAProxy's statistics, and the admin ports of Envoy, Caddy, Kong and Istio. Users do not enter there. */
export const OPERATORS_PORTS = [8404, 9901, 2019, 8001, 15000];

/**
 * @param {string} image as a Compose file names it
 * @returns {Known | null}
 */
export function knownImage(image) {
  const path = image
    .toLowerCase()
    .replace(/@.*$/, '')
    .replace(/:[^/]*$/, '');
  const [last, ...folders] = path.split('/').reverse();
  if (EXPORTER.test(last)) return { name: last, tier: null };
  return find((name) => beginsWith(last, name)) ?? find((name) => folders.includes(name));
}

/** @param {string} image @returns {number | null} */
export function portOfImage(image) {
  const last = image.replace(/@.*$/, '').split('/').at(-1) ?? '';
  return IMAGE_PORTS[last.split(':')[0].toLowerCase()] ?? null;
}

/**
 * @param {string} text the name of a program or a service
 * @returns {Known | null}
 */
export const knownName = (text) => find((name) => name === text.toLowerCase());

/** Whether it asks in the place of users. @param {string} service  its name */
export const isLoad = (service) => LOADS.test(service);

/**
 * @param {string} service  its name
 * @param {string[]} command
 * @returns {string | null} what says that it is a worker, in one clause
 */
export function workerBy(service, command) {
  const text = command.join(' ');
  const [, , work] = WORK.exec(text) ?? [];
  if (work !== undefined) return `it runs ${work.split(/\s/)[0]}, a worker`;
  return WORKERS.test(service) ? 'its name, of a worker' : null;
}

/**
 * @param {number} port
 * @returns {Tier | null}
 */
export const tierOfPort = (port) => PORTS.find(([, ports]) => ports.includes(port))?.[0] ?? null;

/** @param {(name: string) => boolean} matches @returns {Known | null} */
function find(matches) {
  for (const { tier, names } of KINDS) {
    const name = names.find(matches);
    if (name !== undefined) return { name, tier };
  }
  return null;
}

/** `redis`, `redis7`, `redis-stack`; not `rediscovery`. @type {(text: string, name: string) => boolean} */
const beginsWith = (text, name) => text.startsWith(name) && !/[a-z]/.test(text.charAt(name.length));

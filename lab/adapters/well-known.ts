/**
 * What products are known to be, by the names of their images and the ports they listen on. It only serves to guess the tier of a
 * service that no adapter takes; nothing else follows from it, and the user can correct it. And by which files a folder of their data is known.
 */

import type { Tier } from '../base/tier.ts';
import { imageName } from './recognise.ts';

/** tier null: no request of a user passes it */
type Known = { name: string; tier: Tier | null };

const list = (names: string) => names.trim().split(/\s+/);

/** First match wins, so that a tool for a database comes before the database. */
const KINDS: { tier: Tier | null; names: string[] }[] = [
	{
		tier: null,
		names: list(`
      acme-companion adminer akhq alertmanager artillery autoheal cadvisor certbot cloudbeaver cloudflared cp-enterprise-control-center
      diun docker-gen docker-mailserver docker-socket-proxy dockerproxy dozzle exim exim4 flower fluent-bit fluentd grafana greenmail
      inbucket jaeger jmeter k6 kafdrop kafka-ui kibana locust loki mailcatcher maildev mailhog mailpit mailserver mc mongo-express ngrok
      ofelia opensearch-dashboards opentelemetry-collector otel-collector papercut pgadmin pghero phpmyadmin portainer postfix prometheus
      promtail redis-commander redisinsight redpanda-console selenium seq smtp smtp4dev socket-proxy tailscale tempo watchtower zipkin`),
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

/** Of these products a name with such a word in it is that of another, which asks them: `postgres-meta`, `cp-kafka-rest`. */
const KEEPERS = ['pool', 'cache', 'queue', 'database'];
const ASKS_THEM = /[-_](adapter|admin|api|bridge|browser|cli|client|connect|console|gui|manager|meta|proxy|rest|ui|viewer|web)([-_]|$)/;

/** Programs of others' that do what they are asked, and keep nothing in a store. */
const STORELESS = list('gotenberg imgproxy libretranslate localai ollama tika vllm whoami');

/** Where these products keep their data, so that a folder there tells them under any image. */
const DATA: [Tier, RegExp][] = [
	['queue', /^\/(var\/lib|bitnami)\/(rabbitmq|kafka|zookeeper)(\/|$)/],
	[
		'database',
		/^\/((var\/lib|bitnami)\/(mysql|mariadb|postgresql|mongodb|clickhouse|cassandra|elasticsearch|opensearch|influxdb2?)|usr\/share\/(elasticsearch|opensearch)\/data|var\/opt\/mssql|data\/db)(\/|$)/,
	],
];

/** What does the work that requests leave behind is asked by nobody, and takes it from a queue or a clock. */
const WORKERS =
	/(^|[-_.])(worker|consumer|celery|beat|cron|crond|scheduler|queue|sidekiq|horizon|resque|jobs?|mailer|backups?)(worker|beat|s)?[-_.]?\d*($|[-_.])/i;
const WORK =
	/(^|[\s/])(queue:(work|listen)|schedule:(run|work)|horizon|sidekiq|celery\s.*\b(worker|beat)|messenger:consume|rq worker|resque|que|good_job|jobs:work|solid_queue|crond?|supercronic|dramatiq|arq|huey_consumer)(\.(sh|py))?(?=[\s;&|]|$)/i;

/** Of these so much is sure that a published port, which may be a debugger's, says nothing against it. */
const SURE_WORKERS = /(^|[-_.])(celery|sidekiq|worker|background[-_]?(jobs?|tasks?))s?[-_.]?\d*($|[-_.])/i;

/** What asks in the place of users, as a demonstration or a chat brings it along. */
const LOADS = /(^|[-_.])(load[-_]?(gen|generator|test|tester)|traffic[-_]?(gen|generator)|locust|k6|(hu)?bot)($|[-_.])/i;

/** An exporter of any product's figures, and what keeps copies of its data, ask that product, and are not asked by users. */
const TOOL = /[-_]exporter$|(^|[-_])backups?([-_]|$)/;

/** Languages and platforms whose images have a proxy in them. */
const SERVED = /^(php|fpm|python|node|ruby|laravel|wordpress|uwsgi|django|flask|rails)[-_]/;

/** Where these products listen unless they are told otherwise. */
const PORTS: [Tier, number[]][] = [
	['pool', [6033, 6432]],
	['cache', [6379, 11211]],
	['queue', [1883, 4222, 5672, 6650, 9092, 11300, 61616]],
	['database', [1433, 1521, 3306, 5432, 5984, 7687, 8086, 9042, 9200, 26257, 27017]],
];

/**
 * Where programs of users listen unless they are told otherwise, by the name of their image: where the file does not say it, and because it
 * tells the port at which HTTP is spoken from others.
 */
const IMAGE_PORTS: Record<string, number> = Object.fromEntries(
	(
		[
			[
				80,
				'audiobookshelf bookstack caddy drupal freshrss httpd joomla matomo mediawiki nextcloud nginx phpbb pihole traefik whoami wordpress',
			],
			[1337, 'strapi'],
			[1880, 'node-red'],
			[2283, 'immich-server'],
			[2342, 'photoprism'],
			[2368, 'ghost'],
			[3000, 'grafana gitea hedgedoc metabase outline redmine rocket.chat umami wiki'],
			[3001, 'uptime-kuma'],
			[4533, 'navidrome'],
			[5055, 'jellyseerr overseerr'],
			[5601, 'kibana opensearch-dashboards'],
			[5678, 'n8n'],
			[7878, 'radarr'],
			[7880, 'livekit livekit-server'],
			[8055, 'directus'],
			[8065, 'mattermost-team-edition mattermost-enterprise-edition'],
			[8069, 'odoo'],
			[8080, 'airflow graphql-engine jenkins keycloak miniflux nocodb qbittorrent tomcat'],
			[8081, 'nexus3'],
			[8082, 'cp-kafka-rest'],
			[8083, 'calibre-web'],
			[8088, 'superset'],
			[8096, 'jellyfin'],
			[8123, 'home-assistant homeassistant'],
			[8384, 'syncthing'],
			[8686, 'lidarr'],
			[8787, 'rstudio'],
			[8989, 'sonarr'],
			[9000, 'sonarqube listmonk'],
			[9001, 'etherpad'],
			[9696, 'prowlarr'],
			[32_400, 'plex'],
		] as [number, string][]
	).flatMap(([port, names]) => list(names).map((name) => [name, port])),
);

/** Where stores that are asked in HTTP listen. */
export const HTTP_STORES_PORTS = [5984, 6333, 7474, 7700, 8086, 8108, 8123, 8983, 9000, 9200];

/** Ports that HTTP is usually served on, the likeliest first. */
export const USUAL_PORTS = [80, 8080, 8000, 3000, 5000, 8888];

/** Pages for operators: HAProxy's statistics, and the admin ports of Envoy, Caddy, Kong and Istio. Users do not enter there. */
export const OPERATORS_PORTS = [8404, 9901, 2019, 8001, 15000];

/** @param image as a Compose file names it */
export function knownImage(image: string): Known | null {
	const path = image
		.toLowerCase()
		.replace(/@.*$/, '')
		.replace(/:[^/]*$/, '');
	const [last, ...folders] = path.split('/').reverse();
	if (TOOL.test(last)) return { name: last, tier: null };
	const known = find((name) => beginsWith(last, name)) ?? find((name) => folders.includes(name)) ?? find((name) => isLastWord(last, name));
	return known?.tier && KEEPERS.includes(known.tier) && ASKS_THEM.test(last) ? null : known;
}

export const needsNoStore = (image: string) => STORELESS.some((name) => imageName(image).startsWith(name));

/**
 * @param targets folders in a container that it keeps
 * @returns of what keeps its data there
 */
export const tierOfData = (targets: string[]): Tier | null =>
	DATA.find(([, folder]) => targets.some((target) => folder.test(target)))?.[0] ?? null;

export function portOfImage(image: string): number | null {
	const name = imageName(image).toLowerCase();
	return Object.hasOwn(IMAGE_PORTS, name) ? IMAGE_PORTS[name] : null;
}

/** A proxy in front of one program is often called after both: `shop-nginx`. */
const CALLED_PROXY = /[-_.](caddy|haproxy|nginx|traefik)$/;

/** @param text the name of a program or a service */
export function knownName(text: string): Known | null {
	const [, proxy] = CALLED_PROXY.exec(text.toLowerCase()) ?? [];
	return find((name) => name === (proxy ?? text.toLowerCase()));
}

/**
 * A worker whatever it publishes.
 * @param service its name
 */
export const isSureWorker = (service: string) => SURE_WORKERS.test(service);

/**
 * Whether it asks in the place of users.
 * @param service its name
 */
export const isLoad = (service: string) => LOADS.test(service);

/**
 * @param service its name
 * @returns what says that it is a worker, in one clause
 */
export function workerBy(service: string, command: string[]): string | null {
	const text = command.join(' ');
	const [, , work] = WORK.exec(text) ?? [];
	if (work !== undefined) return `it runs ${work.split(/\s/)[0]}, a worker`;
	return WORKERS.test(service) || isSureWorker(service) ? 'its name, of a worker' : null;
}

export const tierOfPort = (port: number): Tier | null => PORTS.find(([, ports]) => ports.includes(port))?.[0] ?? null;

function find(matches: (name: string) => boolean): Known | null {
	for (const { tier, names } of KINDS) {
		const name = names.find(matches);
		if (name !== undefined) return { name, tier };
	}
	return null;
}

/** `redis`, `redis7`, `redis-stack`; not `rediscovery`. */
const beginsWith: (text: string, name: string) => boolean = (text, name) =>
	text.startsWith(name) && !/[a-z]/.test(text.charAt(name.length));

/** `shop-postgres`; where other programs stand before it, as in `php-nginx`, it is there to serve those. */
const isLastWord: (text: string, name: string) => boolean = (text, name) =>
	/^[a-z\d]+[-_]/.test(text) && text.replace(/^[a-z\d]+[-_]/, '') === name && !SERVED.test(text);

/**
 * Folders in which databases keep their data: by which files one is known, and which says that a server has it open. Its copy would be of
 * several moments at once. What lies in folders of other things too (a snapshot, a database of one file) makes none a database's.
 */
/** a file in the folder */
export type Found = { name: string; bytes: number };

const STORES: { product: string; marks: RegExp; opened: (file: Found) => boolean }[] = [
	// https://www.postgresql.org/docs/current/storage-file-layout.html
	{ product: 'postgres', marks: /^PG_VERSION$/, opened: ({ name }) => name === 'postmaster.pid' },
	// https://dev.mysql.com/doc/refman/8.4/en/data-directory.html
	{ product: 'mysql', marks: /^(ibdata1|mysql\.ibd|aria_log_control)$/, opened: ({ name }) => /\.pid$/.test(name) },
	// Emptied by a server that ends well; WiredTiger.lock stays, and is locked while one runs.
	{ product: 'mongo', marks: /^(WiredTiger|mongod\.lock)$/, opened: ({ name, bytes }) => name === 'mongod.lock' && bytes > 0 },
];

/**
 * @param files of the folder, not of those in it
 * @returns openedBy: the file that says so
 */
export function dataIn(files: Found[]): { isStore: boolean; openedBy: string | null } {
	const stores = STORES.filter(({ marks }) => files.some(({ name }) => marks.test(name)));
	const opened = files.find((file) => stores.some((store) => store.opened(file)));
	return { isStore: stores.length > 0, openedBy: opened?.name ?? null };
}

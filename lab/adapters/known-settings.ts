/**
 * Settings that products have for how much of something there is: in their files, in their commands, and by themselves where nobody sets them. It
 * only serves to try another value in a copy (lab/prove); nothing else follows from it.
 */

/** Programs whose short flags are known: -w workers, -t threads. https://docs.gunicorn.org/en/stable/settings.html */
export const SHORT: Record<string, string[]> = { gunicorn: ['-w'], puma: ['-w'], uwsgi: ['-p'], celery: ['-c'] };

/** Settings that configuration files have, by their products' documents. */
export const IN_FILES = [
	// https://nginx.org/en/docs/ngx_core_module.html#worker_connections, ngx_http_upstream_module.html#keepalive
	/^(?<before>.*\b(?<name>worker_connections|worker_rlimit_nofile)[ \t]+)(?<value>\d+)(?=;)/m,
	// https://docs.haproxy.org/3.0/configuration.html#4.2-maxconn
	/^(?<before>[^#\n]*\b(?<name>maxconn)[ \t]+)(?<value>\d+)/m,
	// https://www.php.net/manual/en/install.fpm.configuration.php
	/^(?<before>[ \t]*(?<name>pm\.max_children)[ \t]*=[ \t]*)(?<value>\d+)/m,
	// https://www.postgresql.org/docs/current/runtime-config-connection.html, https://mariadb.com/kb/en/server-system-variables/#max_connections
	/^(?<before>[ \t]*(?<name>max_connections)[ \t]*=[ \t]*)(?<value>\d+)/m,
	// https://redis.io/docs/latest/operate/oss_and_stack/management/config/
	/^(?<before>[ \t]*(?<name>maxclients)[ \t]+)(?<value>\d+)/m,
	// https://www.pgbouncer.org/config.html
	/^(?<before>[ \t]*(?<name>default_pool_size|max_client_conn|max_db_connections)[ \t]*=[ \t]*)(?<value>\d+)/m,
	// https://tomcat.apache.org/tomcat-10.1-doc/config/http.html
	/(?<before>\b(?<name>maxThreads|maxConnections|acceptCount)=["'])(?<value>\d+)/m,
	// https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxrequestworkers
	/^(?<before>[ \t]*(?<name>MaxRequestWorkers)[ \t]+)(?<value>\d+)/m,
	// https://puma.io/puma/Puma/DSL.html
	/^(?<before>[ \t]*(?<name>threads|workers)[ \t]+(?:\d+[ \t]*,[ \t]*)?)(?<value>\d+)[ \t]*$/m,
	// https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive
	/^(?<before>[ \t]*(?<name>keepalive)[ \t]+)(?<value>\d+)(?=;)/m,
];

/**
 * What a server has by itself where none of its files says it, and where in them it can be said.
 * https://nginx.org/en/docs/http/ngx_http_core_module.html#large_client_header_buffers, #client_max_body_size,
 * ngx_http_proxy_module.html#proxy_read_timeout, #proxy_buffer_size, ngx_core_module.html#worker_connections
 */
export type Unset = {
	/** of the service or its image */
	product: RegExp;
	name: string;
	standard: string;
	to: string;
	/** what has to be said with it */
	more?: string;
	/** behind which it may stand, the best first */
	within: RegExp[];
};

const NGINX = /nginx|openresty/i;
const IN_HTTP = [/^[ \t]*http[ \t]*\{/m, /^[ \t]*server[ \t]*\{/m];
export const UNSET_IN_FILES: Unset[] = [
	{ product: NGINX, name: 'large_client_header_buffers', standard: '4 8k', to: '4 64k', within: IN_HTTP },
	{ product: NGINX, name: 'client_max_body_size', standard: '1m', to: '100m', within: IN_HTTP },
	{ product: NGINX, name: 'proxy_read_timeout', standard: '60s', to: '600s', within: IN_HTTP },
	{
		...{ product: NGINX, name: 'proxy_buffer_size', standard: '4k', to: '64k', within: IN_HTTP },
		more: 'proxy_buffers 8 64k; proxy_busy_buffers_size 128k;',
	},
	{ product: NGINX, name: 'worker_connections', standard: '512', to: '8192', within: [/^[ \t]*events[ \t]*\{/m] },
];

/** A line of any other file of settings, `pool-size: 10`: its name decides whether it is tried. */
export const IN_LINES =
	/^(?<before>[ \t]*["']?(?<name>[A-Za-z][\w.-]*)["']?[ \t]*[=:][ \t]*["']?)(?<value>\d{1,9})(?=["']?[ \t]*[,;]?[ \t]*(?:[#;].*)?$)/gm;

/** Files that hold settings and no program. */
export const SETTINGS_FILE = /\.(conf|cfg|cnf|ini|ya?ml|toml|properties|env|json)$|(^|\/)(gunicorn\.conf\.py|puma\.rb|server\.xml)$/i;

/**
 * Settings within one text, as an option of a program or of an address has them.
 * -Xmx: https://docs.oracle.com/en/java/javase/21/docs/specs/man/java.html; --max-old-space-size: https://nodejs.org/api/cli.html; connection_limit:
 * https://www.prisma.io/docs/orm/overview/databases/postgresql; maxPoolSize: https://www.mongodb.com/docs/manual/reference/connection-string-options/
 */
export const IN_WORDS = [
	/(?<before>(?<name>-Xmx))(?<value>\d+)(?=[kmg]\b)/i,
	/(?<before>(?<name>--max[-_]old[-_]space[-_]size)=)(?<value>\d+)/,
	/(?<before>[?&](?<name>connection_limit|pool_size|max_pool_size|maxPoolSize|maximumPoolSize|max_connections|pool)=)(?<value>\d+)/i,
];

/** Where the image of a product has its settings, if no file of the user's lies there. PHP: of its own image and of Debian's packages. */
export const IMAGE_FILES: { product: RegExp; paths: string[] }[] = [
	{ product: /nginx|openresty/i, paths: ['/etc/nginx/nginx.conf', '/usr/local/openresty/nginx/conf/nginx.conf'] },
	{ product: /haproxy/i, paths: ['/usr/local/etc/haproxy/haproxy.cfg', '/etc/haproxy/haproxy.cfg'] },
	{
		product: /php|fpm/i,
		paths: [
			'/usr/local/etc/php-fpm.d/www.conf',
			...['8.1', '8.2', '8.3', '8.4'].map((version) => `/etc/php/${version}/fpm/pool.d/www.conf`),
		],
	},
	{ product: /pgbouncer/i, paths: ['/etc/pgbouncer/pgbouncer.ini'] },
	{ product: /redis|valkey/i, paths: ['/usr/local/etc/redis/redis.conf', '/etc/redis/redis.conf'] },
	{ product: /tomcat/i, paths: ['/usr/local/tomcat/conf/server.xml'] },
	{ product: /httpd|apache/i, paths: ['/usr/local/apache2/conf/extra/httpd-mpm.conf', '/etc/apache2/mods-available/mpm_prefork.conf'] },
];

/**
 * Limits that a product has where nobody set them, and how it is told another: by flags of its command, or by a variable.
 * PostgreSQL: 100 (https://www.postgresql.org/docs/current/runtime-config-connection.html); MySQL and MariaDB: 151
 * (https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html#sysvar_max_connections); gunicorn and uvicorn: one worker
 * (https://docs.gunicorn.org/en/stable/settings.html#workers, https://www.uvicorn.org/settings/); a JVM: a quarter of the memory
 * (https://docs.oracle.com/en/java/javase/21/docs/specs/man/java.html, MaxRAMPercentage); libuv: four threads
 * (https://docs.libuv.org/en/v1.x/threadpool.html).
 */
type OwnLimit = {
	/** of the service or its image */
	product?: RegExp;
	/** that its command starts */
	program: RegExp;
	/** in its command or environment: somebody set it */
	set: RegExp;
	name: string;
	standard: number;
	to: number;
	/** by which its command is told so */
	flags?: string[];
	/** of a command with these flags, where neither the file nor the image has one */
	begin?: string[];
	/** by which it is told so */
	environment?: Record<string, string>;
};

export const OWN_LIMITS: OwnLimit[] = [
	{
		...{ product: /^(?!.*export).*(postgres|postgis|timescale)/i, program: /(^|\/)postgres$/, set: /max[-_]connections/ },
		...{ name: 'max_connections', standard: 100, to: 800, begin: ['postgres'], flags: ['-c', 'max_connections=800'] },
	},
	{
		...{ product: /^(?!.*export).*(mysql|mariadb|percona)/i, program: /(^|\/)(mysqld|mariadbd)$/, set: /max[-_]connections/ },
		...{ name: 'max_connections', standard: 151, to: 1208, flags: ['--max-connections=1208'] },
	},
	{
		...{ program: /(^|\/)(gunicorn|uvicorn)$/, set: /^(--workers|-w)\b|WEB_CONCURRENCY/ },
		...{ name: '--workers', standard: 1, to: 8, flags: ['--workers', '8'] },
	},
	{
		...{ program: /(^|\/)java$/, set: /-Xmx|MaxRAM/ },
		...{ name: 'MaxRAMPercentage (heap)', standard: 25, to: 75, environment: { JAVA_TOOL_OPTIONS: '-XX:MaxRAMPercentage=75' } },
	},
	{
		...{ program: /(^|\/)(node|npm|yarn|pnpm)$/, set: /UV_THREADPOOL_SIZE/ },
		...{ name: 'UV_THREADPOOL_SIZE', standard: 4, to: 32, environment: { UV_THREADPOOL_SIZE: '32' } },
	},
];

/** Products that take a setting while they run, and give it back: within one load it can be switched on and off. */
type LiveWay = {
	/** of the service or its image */
	product: RegExp;
	/** settings that this is known of; all that its files have unless given */
	names?: string[];
} & (
	| {
			/** on which it reads its files again, lets what it has begun end, and starts new processes with them */
			signal: string;
			/** in its command or that of its image, without which the signal would end it */
			needs?: RegExp;
	  }
	| {
			/** that takes a command a line */
			program: string[];
			set: (name: string, value: string) => string;
			ask: (name: string) => string;
			/** of its command: the word before the password, and the variable in which the program takes that */
			password: { flag: string; variable: string };
	  }
);

export const LIVE_WAYS: LiveWay[] = [
	// https://redis.io/docs/latest/commands/config-set/, https://redis.io/docs/latest/develop/tools/cli/
	{
		...{ product: /redis|valkey|keydb/i, names: ['maxclients'] },
		program: ['sh', '-c', 'exec "$(command -v redis-cli || command -v valkey-cli || command -v keydb-cli)"'],
		set: (name, value) => `CONFIG SET ${name} ${value}`,
		ask: (name) => `CONFIG GET ${name}`,
		password: { flag: '--requirepass', variable: 'REDISCLI_AUTH' },
	},
	// https://nginx.org/en/docs/control.html
	{ product: NGINX, signal: 'SIGHUP' },
	// https://docs.haproxy.org/3.0/management.html#4
	{ product: /haproxy/i, signal: 'SIGUSR2', needs: /^-Ws?$|docker-entrypoint/ },
	// https://httpd.apache.org/docs/2.4/stopping.html#graceful
	{ product: /httpd|apache/i, signal: 'SIGUSR1' },
];

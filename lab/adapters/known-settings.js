/**
 * Settings that products have for how much of something there is: in their files, in their commands, and by themselves where nobody sets them. It
 * only serves to try another value in a copy (lab/prove); nothing else follows from it.
 */

/** Programs whose short flags are known: -w workers, -t threads. https://docs.gunicorn.org/en/stable/settings.html */
/** @type {Record<string, string[]>} */
export const SHORT = { gunicorn: ['-w'], puma: ['-w'], uwsgi: ['-p'], celery: ['-c'] };

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
];

/**
 * Limits that a product has where nobody set them, and how its command is told another.
 * PostgreSQL: 100 (https://www.postgresql.org/docs/current/runtime-config-connection.html); MySQL and MariaDB: 151
 * (https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html#sysvar_max_connections).
 * @type {{ product: RegExp, name: string, standard: number, program: RegExp, begin: string[], flags: (value: string) => string[] }[]}
 */
export const OF_PRODUCTS = [
	{
		...{ product: /postgres|postgis|timescale/i, name: 'max_connections', standard: 100, program: /(^|\/)postgres$/ },
		...{ begin: ['postgres'], flags: (value) => ['-c', `max_connections=${value}`] },
	},
	{
		...{ product: /mysql|mariadb|percona/i, name: 'max_connections', standard: 151, program: /(^|\/)(mysqld|mariadbd)$/ },
		...{ begin: [], flags: (value) => [`--max-connections=${value}`] },
	},
];

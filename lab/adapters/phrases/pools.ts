/**
 * What pools of connections say when nobody gives one back in time.
 *
 * @import { Phrase } from '../hop-counts.ts'
 */

/** @type {Omit<Phrase, 'cause'>[]} */
const full = [
	{
		product: 'HikariCP',
		word: 'available',
		pattern: /\S - Connection is not available, request timed out after #ms/,
		line: 'HikariPool-1 - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=58)',
		source: 'brettwooldridge/HikariCP src/main/java/com/zaxxer/hikari/pool/HikariPool.java',
	},
	{
		product: 'Commons DBCP',
		word: 'idle',
		pattern: /(?:pool error:? |Exception: )Timeout waiting for idle object/,
		line: 'java.sql.SQLException: Cannot get a connection, pool error Timeout waiting for idle object',
		source: 'apache/commons-dbcp src/main/java/org/apache/commons/dbcp2/PoolingDataSource.java',
	},
	{
		product: 'Tomcat JDBC',
		word: 'unable',
		pattern: /\] Timeout: Pool empty\. Unable to fetch a connection in # seconds, none available/,
		line: 'org.apache.tomcat.jdbc.pool.PoolExhaustedException: [http-nio-8080-exec-5] Timeout: Pool empty. Unable to fetch a connection in 30 seconds, none available[size:50; busy:50; idle:0; lastwait:30000].',
		source: 'apache/tomcat modules/jdbc-pool/src/main/java/org/apache/tomcat/jdbc/pool/ConnectionPool.java',
	},
	{
		product: 'c3p0',
		word: 'checkout',
		pattern: /An attempt by a client to checkout a Connection has timed out\./,
		line: 'java.sql.SQLException: An attempt by a client to checkout a Connection has timed out.',
		source: 'swaldman/c3p0 src/classes/com/mchange/v2/c3p0/impl/C3P0PooledConnectionPool.java',
	},
	{
		product: 'SQLAlchemy',
		word: 'overflow',
		pattern: /QueuePool limit of size # overflow # reached, connection timed out/,
		line: 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00 (Background on this error at: https://sqlalche.me/e/20/3o7r)',
		source: 'sqlalchemy/sqlalchemy lib/sqlalchemy/pool/impl.py',
	},
	{
		product: 'node-postgres',
		word: 'exceeded',
		pattern: /\btimeout exceeded when trying to connect\b/,
		line: 'Error: timeout exceeded when trying to connect',
		source: 'brianc/node-postgres packages/pg-pool/index.js',
	},
	{
		product: 'mysql2',
		word: 'queue',
		pattern: /Error: Queue limit reached\./,
		line: 'Error: Queue limit reached.',
		source: 'sidorares/node-mysql2 lib/base/pool.js',
	},
	{
		product: 'Knex',
		word: 'acquiring',
		pattern: /Knex: Timeout acquiring a connection\. The pool is probably full\./,
		line: 'KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
		source: 'knex/knex lib/client.js',
	},
	{
		product: 'Sequelize',
		word: 'sequelizeconnectionacquiretimeouterror',
		pattern: /SequelizeConnectionAcquireTimeoutError/,
		line: 'SequelizeConnectionAcquireTimeoutError: Operation timeout',
		source: 'sequelize/sequelize lib/errors/connection/connection-acquire-timeout-error.js',
	},
	{
		product: 'Prisma',
		word: 'fetching',
		pattern: /Timed out fetching a new connection from the connection pool\./,
		line: 'Timed out fetching a new connection from the connection pool. More info: http://pris.ly/d/connection-pool (Current connection pool timeout: 10, connection limit: 5)',
		source: 'prisma/prisma-engines libs/user-facing-errors/src/query_engine/mod.rs',
	},
	{
		product: 'psycopg_pool',
		word: 'couldn',
		pattern: /couldn't get a connection after # sec/,
		line: "psycopg_pool.PoolTimeout: couldn't get a connection after 30.00 sec",
		source: 'psycopg/psycopg psycopg_pool/psycopg_pool/pool.py',
	},
	{
		product: 'psycopg2',
		word: 'poolerror',
		pattern: /PoolError: connection pool exhausted/,
		line: 'psycopg2.pool.PoolError: connection pool exhausted',
		source: 'psycopg/psycopg2 lib/pool.py',
	},
	{
		product: 'redis-py',
		word: 'connectionerror',
		pattern: /ConnectionError: (?:No connection available\.|Too many connections$)/,
		line: 'redis.exceptions.ConnectionError: No connection available.',
		source: 'redis/redis-py redis/connection.py',
	},
	{
		product: 'Jedis',
		word: 'resource',
		pattern: /Could not get a resource from the pool/,
		line: 'redis.clients.jedis.exceptions.JedisExhaustedPoolException: Could not get a resource from the pool',
		source: 'redis/jedis src/main/java/redis/clients/jedis/util/Pool.java',
	},
	{
		product: 'go-redis',
		word: 'redis',
		pattern: /\bredis: connection pool timeout\b/,
		line: '2026/11/27 03:20:11 cart: redis: connection pool timeout',
		source: 'redis/go-redis internal/pool/pool.go',
	},
	{
		product: 'MongoDB drivers',
		word: 'checking',
		pattern: /[Tt]imed out while checking out a connection from connection pool/,
		line: 'MongoWaitQueueTimeoutError: Timed out while checking out a connection from connection pool',
		source: 'mongodb/node-mongodb-native src/cmap/connection_pool.ts; mongodb/mongo-go-driver x/mongo/driver/topology/errors.go',
	},
	{
		product: 'SqlClient',
		word: 'elapsed',
		pattern: /Timeout expired\. The timeout period elapsed prior to obtaining a connection from the pool\./,
		line: 'System.InvalidOperationException: Timeout expired.  The timeout period elapsed prior to obtaining a connection from the pool.  This may have occurred because all pooled connections were in use and max pool size was reached.',
		source: 'dotnet/SqlClient src/Microsoft.Data.SqlClient (ADP_PooledOpenTimeout)',
	},
	{
		product: 'Npgsql',
		word: 'exhausted',
		pattern: /The connection pool has been exhausted, either raise '?Max ?Pool ?Size'? \(currently #\)/,
		line: "Npgsql.NpgsqlException (0x80004005): The connection pool has been exhausted, either raise 'Max Pool Size' (currently 100) or 'Timeout' (currently 15 seconds) in your connection string.",
		source: 'npgsql/npgsql src/Npgsql/PoolingDataSource.cs',
	},
	{
		product: 'ActiveRecord',
		word: 'obtain',
		pattern: /could not obtain a connection from the pool within # seconds/,
		line: 'ActiveRecord::ConnectionTimeoutError (could not obtain a connection from the pool within 5.000 seconds (waited 5.001 seconds); all pooled connections were in use)',
		source: 'rails/rails activerecord/lib/active_record/connection_adapters/abstract/connection_pool/queue.rb',
	},
	{
		product: 'connection_pool',
		word: 'waited',
		// Before 2.4 it did not say how many there are.
		pattern: /ConnectionPool::TimeoutError\b.{0,4}Waited # sec\b/,
		line: 'ConnectionPool::TimeoutError: Waited 5 sec, 0/20 available',
		source: 'mperham/connection_pool lib/connection_pool/timed_stack.rb',
	},
	{
		product: 'Sidekiq',
		word: 'sidekiq',
		pattern: /Your Redis connection pool is too small for Sidekiq/,
		line: 'ArgumentError: Your Redis connection pool is too small for Sidekiq. Your pool has 4 connections but must have at least 7',
		source: 'sidekiq/sidekiq lib/sidekiq/redis_connection.rb',
	},
	{
		product: 'DBConnection',
		word: 'dropped',
		pattern: /connection not available and request was dropped from queue after #ms/,
		line: '** (DBConnection.ConnectionError) connection not available and request was dropped from queue after 1548ms. This means requests are coming in and your connection pool cannot serve them fast enough.',
		source: 'elixir-ecto/db_connection lib/db_connection/connection_pool.ex',
	},
	{
		product: 'SQLx',
		word: 'waiting',
		pattern: /pool timed out while waiting for an open connection/,
		line: 'Error: pool timed out while waiting for an open connection',
		source: 'launchbadge/sqlx sqlx-core/src/error.rs',
	},
	{
		product: 'Racket db',
		word: 'lease',
		pattern: /\bconnection-pool-lease: connection pool limit reached/,
		line: 'connection-pool-lease: connection pool limit reached',
		source: 'racket/db db-lib/db/private/generic/connect-util.rkt',
	},
];

/** @type {Phrase[]} */
export const pools = full.map((phrase) => ({ ...phrase, cause: 'pool-full' }));

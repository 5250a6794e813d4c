import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	dataIn,
	isLoad,
	isSureWorker,
	knownImage,
	knownName,
	needsNoStore,
	portOfImage,
	tierOfData,
	tierOfPort,
	workerBy,
} from './well-known.ts';

test('an image is known by the last part of its name, whatever registry, tag or digest it has', () => {
	const images = ['postgres', 'postgres:15', 'docker.io/library/postgres@sha256:00', 'localhost:5000/postgres', 'bitnami/postgresql:16'];
	for (const image of images) assert.equal(knownImage(image)?.tier, 'database', image);
	assert.equal(knownImage('redis/redis-stack:7')?.tier, 'cache');
	assert.equal(knownImage('mcr.microsoft.com/mssql/server:2022-latest')?.tier, 'database');
});

test('a tool for a product is not that product', () => {
	for (const image of ['mongo-express:1', 'rediscommander/redis-commander', 'dpage/pgadmin4:8', 'nginx/nginx-prometheus-exporter:1.1'])
		assert.deepEqual(knownImage(image)?.tier, null, image);
	for (const image of [
		'nginxproxy/acme-companion',
		'mher/flower:2.0',
		'selenium/standalone-chrome',
		'confluentinc/cp-enterprise-control-center:7.6',
	])
		assert.deepEqual(knownImage(image)?.tier, null, image);
	assert.equal(knownImage('confluentinc/cp-kafka:7.6.0')?.tier, 'queue');
	assert.equal(knownImage('traefik/whoami')?.tier, 'app');
});

test('a name that only begins with a known one is another', () => {
	assert.equal(knownImage('acme/rediscovery:1'), null);
	assert.equal(knownImage('acme/shop:1'), null);
	assert.equal(knownImage(''), null);
});

test('programs and services are known by their whole name', () => {
	assert.equal(knownName('gunicorn')?.tier, 'app');
	assert.equal(knownName('Postgres')?.tier, 'database');
	assert.equal(knownName('postgres-backup'), null);
	assert.equal(knownName('shop-nginx')?.tier, 'load-balancer');
});

test('a port tells a tier only where one product has it to itself', () => {
	assert.deepEqual([5432, 3306, 6379, 27017, 5672, 9092, 4222, 6432].map(tierOfPort), [
		'database',
		'database',
		'cache',
		'database',
		'queue',
		'queue',
		'queue',
		'pool',
	]);
	assert.equal(tierOfPort(8080), null);
});

test('a worker is known by what it runs, else by its name', () => {
	for (const command of [
		['celery', '-A', 'shop', 'worker', '-l', 'info'],
		['php', 'artisan', 'queue:work'],
		['sh', '-c', 'while :; do php artisan schedule:run; sleep 60; done'],
		['bundle', 'exec', 'sidekiq'],
		['/cron.sh'],
		['bin/console', 'messenger:consume', 'async'],
	])
		assert.match(workerBy('web', command) ?? '', /it runs .*a worker/, command.join(' '));
	for (const name of ['worker', 'celery-worker', 'celeryworker', 'celerybeat', 'share-cron', 'worker_2', 'db-backup', 'jobs'])
		assert.equal(workerBy(name, []), 'its name, of a worker', name);
	for (const name of ['web', 'network', 'queued', 'jobsite', 'microworkers'])
		assert.equal(workerBy(name, ['node', 'server.js']), null, name);
});

test('what asks a product, looks after it or copies it is not that product, whatever its image is called', () => {
	for (const image of ['supabase/postgres-meta:1', 'confluentinc/cp-kafka-rest:7.5.0', 'acme/redis-admin', 'x/cp-server-connect-datagen'])
		assert.equal(knownImage(image), null, image);
	for (const image of [
		'acme/postgres-backup-s3',
		'offen/docker-volume-backup:2',
		'sj26/mailcatcher',
		'tianon/exim4',
		'minio/mc',
		'acme/opensearch-dashboards',
	])
		assert.equal(knownImage(image)?.tier, null, image);
});

test('an image may have a product as its last word, unless a language stands before it', () => {
	assert.equal(knownImage('acme/forum-postgresql:14')?.tier, 'database');
	assert.equal(knownImage('acme/magento-nginx:1.24-0')?.tier, 'load-balancer');
	assert.equal(knownImage('acme/php-nginx')?.tier, 'app');
	assert.equal(knownImage('acme/laravel-nginx'), null);
	assert.equal(knownImage('acme/rediscovery-app'), null);
});

test('where data is kept tells what keeps it', () => {
	assert.equal(tierOfData(['/config', '/var/lib/mysql']), 'database');
	assert.equal(tierOfData(['/bitnami/rabbitmq/mnesia']), 'queue');
	assert.equal(tierOfData(['/data', '/var/lib/mysqldump']), null);
});

test('some workers are sure whatever they publish, a bot asks in the place of users, and some programs keep nothing', () => {
	assert.deepEqual(['langfuse-worker', 'ordering-backgroundtasks', 'jobs', 'scheduler'].map(isSureWorker), [true, true, false, false]);
	assert.deepEqual(['hubot', 'telegram-bot', 'robot-shop', 'chatbot-ui'].map(isLoad), [true, true, false, false]);
	assert.deepEqual(['darthsim/imgproxy:v3', 'acme/shop'].map(needsNoStore), [true, false]);
});

test('an image tells its port by its whole name', () => {
	assert.deepEqual(['jellyfin/jellyfin', 'registry:5000/x/grafana:11', 'acme/constructor'].map(portOfImage), [8096, 3000, null]);
});

const found = (files: Record<string, number>) => dataIn(Object.entries(files).map(([name, bytes]) => ({ name, bytes })));

test('a folder of code is no database’s, whatever locks lie in it', () => {
	const files = { 'package-lock.json': 9, 'yarn.lock': 9, 'server.pid': 3, 'app.db': 9, 'app.db-wal': 9, 'dump.rdb': 4 };
	assert.deepEqual(found(files), { isStore: false, openedBy: null });
});

test('a database’s folder is known at rest', () => {
	const all: Record<string, number>[] = [{ PG_VERSION: 3 }, { ibdata1: 9 }, { WiredTiger: 9, 'WiredTiger.lock': 21, 'mongod.lock': 0 }];
	for (const files of all) assert.deepEqual(found(files), { isStore: true, openedBy: null });
});

test('a database’s folder that is open says so by a file', () => {
	assert.equal(found({ PG_VERSION: 3, 'postmaster.pid': 90 }).openedBy, 'postmaster.pid');
	assert.equal(found({ ibdata1: 9, 'db.pid': 2 }).openedBy, 'db.pid');
	assert.equal(found({ WiredTiger: 9, 'mongod.lock': 2 }).openedBy, 'mongod.lock');
});

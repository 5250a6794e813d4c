import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passesOn, servesByItself } from './web-servers.ts';

test('a configuration passes requests on where it names another host to pass them to', () => {
	for (const line of [
		'ProxyPass /app http://tomcat:8080/app retry=0',
		'  ProxyPassMatch "^/(.*\\.php)$" "fcgi://php:9000/var/www/$1"',
		'BalancerMember "ajp://one:8009" route=one',
		'ProxyPass "/" "balancer://all/"',
		'SetHandler "proxy:fcgi://php:9000"',
		'RewriteRule ^/ws/(.*) ws://chat:3000/$1 [P,L]',
		// biome-ignore lint/suspicious/noTemplateCurlyInString: Apache's own variables look so
		'ProxyPass / ${UPSTREAM}',
		'proxypass / http://[2001:db8::1]:80/',
	])
		assert.equal(passesOn(`Listen 80\n${line}\n`), true, line);
});

test('and not where it serves, redirects, or asks a program of its own container', () => {
	for (const line of [
		'# ProxyPass /app http://tomcat:8080/',
		'SetHandler "proxy:unix:/run/php/php-fpm.sock|fcgi://localhost"',
		'SetHandler proxy:fcgi://127.0.0.1:9000',
		'RewriteRule ^(.*)$ https://www.example.com/$1 [R=301,L]',
		'ProxyPassReverse /app http://tomcat:8080/app',
		'ProxyPreserveHost On',
		'SetEnv DATABASE_URL mysql://db:3306/shop',
		'DocumentRoot /var/www/html',
	])
		assert.equal(passesOn(`Listen 80\n${line}\n`), false, line);
});

test('it is asked of such servers alone', () => {
	assert.deepEqual(
		['httpd', 'apachectl', 'haproxy', 'php'].map((name) => servesByItself({ name })),
		[true, true, false, false],
	);
});

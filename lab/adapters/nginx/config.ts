/**
 * Changes a copy of Nginx's main configuration so that the lab can watch it: each request is logged with its id in the lab's format, and
 * warnings are logged too, which Nginx hides by default, both to the container's output. Files that it includes are left as they are.
 */

import { NotReadyError } from '../../base/errors.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../proxy-detection.ts';

/** Of the lab's own lines; a change of their meaning takes a new word. */
export const OWN_MARK = 'doubletake1';

/** Where the image of Docker Hub has it, and Debian's package. */
const DEFAULT_PATH = '/etc/nginx/nginx.conf';
const REPLACED = '# doubletake: ';

/** https://nginx.org/en/docs/http/ngx_http_log_module.html, https://nginx.org/en/docs/http/ngx_http_upstream_module.html#variables */
const FIELDS = [
	'"t":$msec',
	'"id":"$http_x_request_id"',
	'"status":$status',
	'"request_s":$request_time',
	'"connection":$connection',
	'"upstream":"$upstream_addr"',
	'"upstream_status":"$upstream_status"',
	'"connect_s":"$upstream_connect_time"',
	'"upstream_s":"$upstream_response_time"',
	'"error":""',
	'"completion":"$request_completion"',
];
const LOGS = [`log_format ${OWN_MARK} escape=json '${OWN_MARK} {${FIELDS.join(',')}}';`, `access_log /dev/stdout ${OWN_MARK};`];
const WARNINGS = 'error_log /dev/stderr warn;';

export const configuration: Configuration = { name: 'nginx.conf', pathOf, overlaid };

export function pathOf(service: ServiceModel): string | null {
	const [path] = optionValues(service, 'nginx', ['-c']);
	return path ?? service.mounts.find(({ target }) => target.endsWith('/nginx.conf'))?.target ?? DEFAULT_PATH;
}

/** @throws {NotReadyError} for a text without an http block */
function overlaid(text: string): Overlaid {
	const lines = text.replace(/\r\n/g, '\n').split('\n');
	const http = lines.findIndex((line) => /^\s*http\s*\{\s*(#.*)?$/.test(line));
	if (http < 0)
		throw new NotReadyError(
			'Nginx’s configuration: expected a line "http {"; found none.',
			'name the file that has it, or watch at level 1.',
		);
	const replaced = (line: string) => (/^\s*(access_log|error_log)\s/.test(line) ? line.replace(/^(\s*)/, `$1${REPLACED}`) : line);
	const changed = [
		WARNINGS,
		...lines.slice(0, http).map(replaced),
		lines[http],
		...LOGS.map((line) => `    ${line}`),
		...lines.slice(http + 1).map(replaced),
	];
	return {
		text: changed.join('\n'),
		changes: [
			'http: each request is logged with its X-Request-Id to the container’s output, instead of what access_log says in this file.',
			'warnings, such as that of a full connection table, are logged to the container’s output, instead of what error_log says in this file.',
		],
	};
}

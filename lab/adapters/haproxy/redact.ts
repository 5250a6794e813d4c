/**
 * What of HAProxy's log the record keeps of a request: all but captured cookies and headers, of which an id stays, and its path as a template.
 */

import { withoutContent } from '../log-content.ts';
import { K6_ID, readHttpLine } from './http-line.ts';
import { isOfState } from './state-lines.ts';

/** Between the bytes and the state of the end stand a cookie of the request and one of the answer (configuration manual, section 8.2.3). */
const COOKIES = /( -?\d+ \+?\d+ )\S+ \S+( [CSPLRIDUKcs-][RQCHDLT-][A-Z-][A-Z-] )/;
/** Then two numbers of queues end what is the log's own. */
const REST = /( \d+\/\d+)((?: \{[^}]*\}){0,2})( ".*)?$/;
const HEADER = /[^{}| ][^{}|]*/g;

/**
 * @param line without the engine's time
 * @returns from which the same is read
 */
export function redact(line: string): string {
	if (readHttpLine({ t: 0, text: line }) === null) return isOfState(line) ? line : withoutContent(line);
	return line
		.replace(COOKIES, '$1- -$2')
		.replace(
			REST,
			(_, queues, captured, request = '') =>
				`${queues}${captured.replace(HEADER, (header: string) => (K6_ID.test(header) ? header : '?'))}${withoutContent(request)}`,
		);
}

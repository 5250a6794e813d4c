/**
 * The id of a request as a user's system is to store it, in the place of `{{request_id}}` in a path, a header or a body. It has the form of a
 * UUID, which columns for text and for UUIDs take alike: a mark of the run, of which part of it the request was, the user, and which of the
 * user's requests. So no row of before the run is taken for one of it. The attempts of a request have one in common. Knows neither k6 nor time.
 */

/** Not of headers' variables, whose name stands in one pair of braces after a dollar. */
export const PLACEHOLDER = '{{request_id}}';

/** Of a load and of its warm-up, which is not counted: three digits of the id. */
const PARTS = { load: '000', warmup: '001' };
/** Hexadecimal digits. */
const [MARK, PART, USER, NUMBER] = [12, 3, 6, 9];
/** Which a user may send in a header that goes with every request, those that read too (RFC 9110, 9.2.1). DELETE leaves nothing. */
const STORING = ['POST', 'PUT', 'PATCH'];

/** @typedef {keyof typeof PARTS} Part */
/** @typedef {{ url: string, body: string | null, headers: Record<string, string> }} Filled */

/**
 * @param {string} mark   of the run, 12 hexadecimal digits
 * @param {Part} part
 * @param {number} user
 * @param {number} number of the user's request
 */
export function storedId(mark, part, user, number) {
	const users = hexadecimal(user, USER);
	return `${mark.slice(0, 8)}-${mark.slice(8)}-4${PARTS[part]}-8${users.slice(0, 3)}-${users.slice(3)}${hexadecimal(number, NUMBER)}`;
}

/** @param {number} value @param {number} digits */
const hexadecimal = (value, digits) => value.toString(16).padStart(digits, '0');

/**
 * Reads them again, wherever they stand in a line: a store may print them in quotes, in capitals, or without their hyphens.
 * @param {string} mark
 * @returns {(line: string) => { part: Part, id: string }[]} each once that is of this run; id: as `X-Request-Id` had it
 */
export function storedIdReader(mark) {
	const digits = (/** @type {number} */ many) => `([0-9a-f]{${many}})`;
	const written = new RegExp(
		`${mark.slice(0, 8)}-?${mark.slice(8, MARK)}-?4${digits(PART)}-?8${digits(3)}-?${digits(USER - 3)}${digits(NUMBER)}`,
		'gi',
	);
	return (line) => {
		const found = new Map(
			[...line.matchAll(written)].flatMap(([text, part, high, low, number]) => {
				const known = /** @type {Part[]} */ (Object.keys(PARTS)).find((one) => PARTS[one] === part);
				const id = `${Number.parseInt(high + low, 16)}-${Number.parseInt(number, 16)}`;
				return known === undefined ? [] : [[text.replaceAll('-', '').toLowerCase(), { part: known, id }]];
			}),
		);
		return [...found.values()];
	};
}

/**
 * Whether its id is to be found in the store afterwards: where the placeholder is in its path or body, or in a header and it may change something.
 * @param {{ method: string, path: string, headers?: Record<string, string>, body?: string | null }} request
 */
export const isStored = ({ method, path, headers = {}, body }) =>
	hasPlace(path) || hasPlace(body) || (STORING.includes(method) && Object.values(headers).some(hasPlace));

/** @param {string | null} [text] */
const hasPlace = (text) => text?.includes(PLACEHOLDER) ?? false;

/** @param {string} text @param {string} id */
export const withId = (text, id) => text.split(PLACEHOLDER).join(id);

/**
 * @param {{ url: string, headers: Record<string, string>, body: string | null }} request
 * @param {string} mark
 * @returns {((part: Part, user: number, number: number) => Filled) | null} what is sent of it each time, of the headers those that change; null where
 *   it is always the same
 */
export function fillerOf({ url, headers, body }, mark) {
	const changing = Object.entries(headers).filter(([, value]) => hasPlace(value));
	if (!hasPlace(url) && !hasPlace(body) && changing.length === 0) return null;
	return (part, user, number) => {
		const id = storedId(mark, part, user, number);
		return {
			url: withId(url, id),
			body: body === null ? null : withId(body, id),
			headers: Object.fromEntries(changing.map(([name, value]) => [name, withId(value, id)])),
		};
	};
}

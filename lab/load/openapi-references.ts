/** Follows what an OpenAPI document refers to, and says where it cannot. Pure. */

/** References in a row, before they are taken for a circle. */
const REFERENCES_MOST = 32;

/** Something that no value can be made for; the message says what and why. */
export class CannotFill extends Error {
	name = 'CannotFill';
}

/**
 * What a node says, with every reference in its place followed. What stands beside a reference goes before what it refers to.
 * @throws {CannotFill} when it refers to another document, to nothing, or in a circle
 */
export function resolved(document: any, node: any): any {
	let found = node;
	for (let count = 0; count < REFERENCES_MOST; count += 1) {
		if (typeof found?.$ref !== 'string') return found;
		const { $ref: reference, ...beside } = found;
		found = { ...pointedAt(document, reference), ...beside };
	}
	throw new CannotFill(`"${node.$ref}" refers to others in a circle`);
}

function pointedAt(document: any, reference: string) {
	if (!reference.startsWith('#/')) throw new CannotFill(`"${reference}" is outside the document`);
	let found = document;
	for (const part of reference.slice(2).split('/')) {
		const key = nameIn(part);
		found = typeof found === 'object' && found !== null && Object.hasOwn(found, key) ? found[key] : undefined;
	}
	if (typeof found !== 'object' || found === null) throw new CannotFill(`"${reference}" is not in the document`);
	return found;
}

/** Of a JSON pointer in an address (RFC 6901, 6). */
function nameIn(part: string) {
	let name = part;
	try {
		name = decodeURIComponent(part);
	} catch {
		// It has a % that stands for itself.
	}
	return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

export function within<T>(place: string, fill: () => T): T {
	try {
		return fill();
	} catch (error) {
		if (!(error instanceof CannotFill)) throw error;
		// A schema that contains itself would name its place at every depth.
		throw error.message.startsWith(`${place}: `) ? error : new CannotFill(`${place}: ${error.message}`);
	}
}

export function tried<T>(fill: () => T): T | undefined {
	try {
		return fill();
	} catch (error) {
		if (error instanceof CannotFill) return undefined;
		throw error;
	}
}

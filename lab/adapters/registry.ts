/**
 * The products that the lab knows, and which of them a service runs; and the protocols that it reads from the wire. A product is a folder here with
 * an adapter.ts, a protocol one with a wire.ts, and nothing else has to know it.
 *
 * @import { Decoder } from '../wire/contract.ts'
 * @import { Adapter, ProgramReader, Signal } from './contract.ts'
 */
import { existsSync, readdirSync } from 'node:fs';

/** Takes what no other takes. */
const OPAQUE = 'opaque';

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder).sort((one, other) => Number(one === OPAQUE) - Number(other === OPAQUE) || (one < other ? -1 : 1));

/** @param {string} file  in a folder of its own @returns {Promise<any[]>} in the order of their folders, the one that takes what is left at the end */
const modulesOf = (file) => {
	const found = names.map((name) => new URL(`${name}/${file}`, folder)).filter((url) => existsSync(url));
	return Promise.all(found.map((url) => import(url.href)));
};

/** @type {Adapter[]} */
const all = (await modulesOf('adapter.ts')).map(({ adapter }) => adapter);

/** @type {Decoder[]} */
export const decoders = (await modulesOf('wire.ts')).map(({ decoder }) => decoder);

/** Those that a user's system may have, in the order in which they are asked; the first that takes a service has it. */
export const everyAdapter = all.filter(({ isLabsOwn }) => !isLabsOwn);

/**
 * By its product; of a shipped system's service without a label, by what it is.
 * @param {{ name: string, tier: string, product?: string | null }} service
 * @returns {Adapter | null}
 */
export const adapterFor = ({ name, tier, product }) =>
	product ? adapterOf(product) : (all.find(({ unlabelled }) => unlabelled?.({ name, tier })) ?? null);

/** @type {Map<string, Signal | null>} */
const signals = new Map();

/**
 * What the name of an error says that a program logs with a request, by the product whose client gave it.
 * @param {string} error
 * @returns {Signal | null} null where no product has it
 */
export function errorSignal(error) {
	const before = signals.get(error);
	if (before !== undefined) return before;
	const found = all.map((adapter) => adapter.errorSignal?.(error) ?? null).find((signal) => signal !== null) ?? null;
	signals.set(error, found);
	return found;
}

/** What reads a program that makes its load inside the system. */
export const programReader = /** @type {ProgramReader} */ (all.find(({ program }) => program)?.program);

/** By its product, as a file of the user or a record names it. @param {string} product @returns {Adapter | null} */
export const adapterOf = (product) => all.find((adapter) => adapter.product === product) ?? null;

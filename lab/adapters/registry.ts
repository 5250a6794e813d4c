/**
 * The products that the lab knows, and which of them a service runs; and the protocols that it reads from the wire. A product is a folder here with
 * an adapter.ts, a protocol one with a wire.ts, and nothing else has to know it.
 */
import { existsSync, readdirSync } from 'node:fs';
import type { Signal } from '../base/signal.ts';
import type { Decoder } from '../wire/contract.ts';
import type { Adapter, ProgramReader } from './contract.ts';

/** Takes what no other takes. */
const OPAQUE = 'opaque';

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder).sort((one, other) => Number(one === OPAQUE) - Number(other === OPAQUE) || (one < other ? -1 : 1));

/**
 * @param file in a folder of its own
 * @returns in the order of their folders, the one that takes what is left at the end
 */
const modulesOf = (file: string): Promise<any[]> => {
	const found = names.map((name) => new URL(`${name}/${file}`, folder)).filter((url) => existsSync(url));
	return Promise.all(found.map((url) => import(url.href)));
};

const all: Adapter[] = (await modulesOf('adapter.ts')).map(({ adapter }) => adapter);

export const decoders: Decoder[] = (await modulesOf('wire.ts')).map(({ decoder }) => decoder);

/** Those that a user's system may have, in the order in which they are asked; the first that takes a service has it. */
export const everyAdapter = all.filter(({ isLabsOwn }) => !isLabsOwn);

/** By its product; of a shipped system's service without a label, by what it is. */
export const adapterFor = ({ name, tier, product }: { name: string; tier: string; product?: string | null }): Adapter | null =>
	product ? adapterOf(product) : (all.find(({ unlabelled }) => unlabelled?.({ name, tier })) ?? null);

const signals: Map<string, Signal | null> = new Map();

/**
 * What the name of an error says that a program logs with a request, by the product whose client gave it.
 * @returns null where no product has it
 */
export function errorSignal(error: string): Signal | null {
	const before = signals.get(error);
	if (before !== undefined) return before;
	const found = all.map((adapter) => adapter.errorSignal?.(error) ?? null).find((signal) => signal !== null) ?? null;
	signals.set(error, found);
	return found;
}

/** What reads a program that makes its load inside the system. */
export const programReader = all.find(({ program }) => program)?.program as ProgramReader;

/** By its product, as a file of the user or a record names it. */
export const adapterOf = (product: string): Adapter | null => all.find((adapter) => adapter.product === product) ?? null;

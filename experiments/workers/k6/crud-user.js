/**
 * What a user of the CRUD service does next: an operation of the published mix, on a document that the user owns, so that
 * no read, update or delete aims at one that is not there. Knows neither k6 nor time; the same user always does the same.
 */
import { randomOf } from '../../../k6/lib/random.js';

export const DATABASES = ['db1', 'db2', 'db3'];
/** As app/seeds.js seeds them; a user beyond them begins with a create. */
export const SEEDED_USERS = 600;
export const SEEDS_PER_USER = 20;

/** Published: shares of all operations. @type {{ operation: Operation, share: number }[]} */
const MIX = [
	{ operation: 'read', share: 0.4 },
	{ operation: 'create', share: 0.3 },
	{ operation: 'update', share: 0.2 },
	{ operation: 'delete', share: 0.1 },
];
export const OPERATIONS = MIX.map(({ operation }) => operation);

/**
 * @typedef {'read' | 'create' | 'update' | 'delete'} Operation
 * @typedef {{ operation: Operation, id: string }} Step
 */

/**
 * @param {number} user number, from 1, of its own in the whole test
 */
export function newUser(user) {
	const random = randomOf(user);
	const owned = user > SEEDED_USERS ? [] : Array.from({ length: SEEDS_PER_USER }, (_, index) => `seed-${user}-${index}`);
	let created = 0;
	return {
		database: DATABASES[user % DATABASES.length],

		/** @returns {Step} a document that is to be deleted is owned no longer, whatever the answer: it may be gone */
		next() {
			const operation = owned.length === 0 ? 'create' : operationAt(random());
			if (operation === 'create') {
				created += 1;
				return { operation, id: `${user}-${created}` };
			}
			const at = Math.floor(random() * owned.length);
			const id = owned[at];
			if (operation === 'delete') {
				owned[at] = owned[owned.length - 1];
				owned.pop();
			}
			return { operation, id };
		},

		/** To be called when a create was answered well. @param {string} id */
		own(id) {
			owned.push(id);
		},
	};
}

/** @param {number} value 0 to 1 @returns {Operation} */
function operationAt(value) {
	let upTo = 0;
	for (const { operation, share } of MIX) {
		upTo += share;
		if (value < upTo) return operation;
	}
	return MIX[MIX.length - 1].operation;
}

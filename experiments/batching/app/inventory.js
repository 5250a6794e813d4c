/**
 * The stock of an event: one document, from which a batch of any size takes its tickets by one update. Tickets are
 * numbered from 0 in the order in which they are taken, so that no two updates take the same.
 *
 * @typedef {{ _id: string, stock: number, sold: number }} Inventory
 */

/**
 * The update that takes tickets, or what is left of them.
 * @param {number} wanted
 */
export const reservationOf = (wanted) => [{ $set: { sold: { $min: ['$stock', { $add: ['$sold', wanted] }] } } }];

/**
 * The tickets that the update took.
 * @param {Pick<Inventory, 'stock' | 'sold'>} before the update
 * @param {number} wanted
 * @returns {number[]} as many as wanted, or fewer, or none
 */
export function ticketsTaken({ stock, sold }, wanted) {
	const granted = Math.max(0, Math.min(wanted, stock - sold));
	return Array.from({ length: granted }, (_, index) => sold + index);
}

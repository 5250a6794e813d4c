/**
 * The square of a ticket's number, to add up beside the numbers: two sums that agree leave little room for other tickets
 * than those that were answered.
 */

/** A prime. What remains of a square after it is small enough for the sum over every ticket to stay exact below 2^53. */
const MODULUS = 1_000_003;

/** @param {number} ticket @returns {number} its square modulo 1,000,003 */
export const ticketSquare = (ticket) => (ticket % MODULUS) ** 2 % MODULUS;

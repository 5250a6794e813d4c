/**
 * How far a capacity plan goes, and what it needs. All of its limits are here.
 */
export { LEAST_RUNS, PEAK_REACH as REACH } from '../stats/usl.js';

/**
 * Numbers of nodes. The law has three parameters and goes through any three points; the fourth is held out to contradict it.
 */
export const LEAST_NUMBERS = 4;

/**
 * The share of its CPU that a tier other than the nodes may use at the target, unless the experiment has measured it busier. At
 * 80 % a queue with one server takes 5 service times (1 / (1 - utilisation), M/M/1; Lazowska, Zahorjan, Graham & Sevcik, Quantitative
 * System Performance, 1984, chapter 6), and a demand that is 5 % above the measured one adds a quarter to that. Farther up the
 * uncertainty of the demand is larger than what is predicted. The number is the lab's choice.
 *
 * It is also the share from which a tier counts as full: where none is, the measured rate is what users asked for and no capacity.
 */
export const BUSY_MOST = 0.8;

/** A mean response of more than this is answered as "not borne": users are gone by then (Nielsen, Usability Engineering, 1993, chapter 5). */
export const RESPONSE_MOST_S = 10;

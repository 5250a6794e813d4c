export { TOLERANCE_S } from '../../waiting/beside.js';

/** By what a call is joined to the one that it was made for. */
export const BY_ID = 1;
export const BY_ORDER = 2;

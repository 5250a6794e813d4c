/** Packets of two connections may be recorded in another order than they were sent in: on one machine by less than this. */
export const TOLERANCE_S = 0.0003;

/** By what a call is joined to the one that it was made for. */
export const BY_ID = 1;
export const BY_ORDER = 2;

/** Packets of two connections may be recorded in another order than they were sent in: on one machine by less than this. */
export const TOLERANCE_S = 0.0003;

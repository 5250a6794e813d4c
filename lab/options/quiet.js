/**
 * How busy the machine may be before a run: a machine that is busier is measured together with its neighbours. The lab's own
 * choice: the tiers of `fair` leave 7 % of the machine to others, and a second of a quiet one reads 1 to 5 % (measured).
 */
export const QUIET_BUSY_SHARE = 0.15;

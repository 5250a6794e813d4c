/** How far the clock of a host is from this machine’s. */

export type ClockOffset = {
	/** of that clock, less than nothing where it is behind */
	offset_s: number;
	/** as exactly as it is known: half of the quickest answer's way */
	within_s: number;
};

/** A load generator of a run: when it began and ended. */

/** of one of several generators; seconds since 1970 */
export type Generated = {
	name: string;
	/** its warm-up; null when it ended before that */
	began_s: number | null;
	ended_s: number;
	exit_code: number;
};

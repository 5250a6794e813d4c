/** A variable of an experiment or of a user’s own files that a command takes. */

/** that the Compose files read; it reaches a shipped scenario under its own name too */
export type Variable = {
	/** in words */
	about: string;
	/** its value unless given */
	standard: string;
	/** the values that it may have; or */
	choices?: readonly string[];
	/** the least and the most, of a whole number */
	range?: readonly [number, number];
};

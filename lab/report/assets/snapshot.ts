/** How a run stands now, of what the observers write and k6's users tell: for a page that shows it while it goes on. */

export type LiveService = {
	name: string;
	tier: string;
	/** used in the last second; null before two readings */
	cores: number | null;
	/** its quota; null without one */
	cores_most: number | null;
	/** open TCP connections in its network namespace */
	connections: number | null;
	/** that its own table has room for */
	connections_most: number | null;
	/** connections that wait to be accepted */
	waiting: number | null;
	/** open files of the process that has most */
	files: number | null;
	/** that it may have */
	files_most: number | null;
	ended: boolean;
};

export type Snapshot = {
	/** now: seconds from the start of the load, negative before it; null before the load generator began */
	t_s: number | null;
	/** seconds of the load that stage, users and figures are of; null without figures */
	of_s: [from: number, to: number] | null;
	stage: string;
	users: number | null;
	rps: number | null;
	p95_ms: number | null;
	/** 0 to 1 */
	failed: number | null;
	/** from now */
	left_s: number;
	/** it may end before */
	is_longest: boolean;
	/** in the order in which requests pass them */
	services: LiveService[];
};

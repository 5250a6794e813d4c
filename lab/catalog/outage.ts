/**
 * What happens to the hosts while a run goes on, as the Swarm's manager tells it: a host that does not answer any more, or was drained.
 * The moment is that at which the manager noticed, which is some heartbeats after it happened.
 */

/** seconds since 1970 */
export type Outage = {
	host: string;
	/** such as `host2 down` */
	text: string;
	began_s: number;
	/** null: not before the end */
	ended_s: number | null;
};

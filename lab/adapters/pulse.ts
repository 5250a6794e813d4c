/** A line of what a Node program keeps of itself (app/lib/telemetry.js, and the preload in a user's) in words that are no runtime's. */

/** How late its event loop was, as the text of the line has it. */
export const DELAY_FIELD = '"loop_delay_ms":\\{[^{}]*\\}';

export function heartbeatOf({ loop_delay_ms, loop_utilisation, ...row }: any): any {
	return {
		...row,
		...(loop_delay_ms !== undefined && { late_ms: loop_delay_ms }),
		...(loop_utilisation !== undefined && { busy_share: loop_utilisation }),
	};
}

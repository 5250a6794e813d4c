/** A request that failed, as the generator says. */

/** k6's own account of a failed request */
export type Failed = {
	id: string;
	/** its end, seconds since 1970 */
	t: number;
	waited_s: number;
	/** 0: no HTTP answer */
	status: number;
	/** of k6's error */
	code: number;
	/** what k6's error text says; `status` where there was an answer */
	kind: string;
};

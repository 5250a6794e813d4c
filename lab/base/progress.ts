/** What a command that takes a while is handed: where its words and its result go (cli/reporter.ts), and when it is to end. */

export type LoadStatus = {
	/** what is going on, in words: in the seconds that the figures are of */
	stage: string;
	users: number | null;
	/** where nobody knows how many there are at a time, how many there are at most; null of a load at a rate */
	usersMost?: number | null;
	rps: number | null;
	/** of all requests that ended in these seconds */
	p95Ms: number | null;
	/** 0 to 1, of the same */
	failureRate: number | null;
	/** seconds until the load ends */
	leftS: number;
	/** it may end before */
	isLongest?: boolean;
	/** seconds since the load began; negative in the warm-up, null before k6 began */
	nowS?: number | null;
	/** of the load, that stage, users and figures are of; null without figures */
	ofS?: [from: number, to: number] | null;
};

export type Progress = {
	/** a line that stays */
	say: (text: string) => void;
	/** a line that the next one replaces, where that can be */
	load: (status: LoadStatus) => void;
	done: () => void;
};

export type Reporter = {
	/** lines on the way */
	progress: Progress;
	/** words, as they are */
	tell: (text: string) => void;
	/** what the command found, as far as it got; what is given last counts */
	give: (found: object) => void;
	/** what ended the command: a mistake of the lab's own is shown with its trace; isShown: whoever made it has said it */
	fail: (error: Error, options?: { isShown?: boolean }) => void;
	/** the last call, once */
	end: (exitCode: number) => void;
};

/** what a command that measures is handed; signal: aborts when its user interrupts */
export type Around = { reporter: Reporter; signal: AbortSignal };

/**
 * What a cause and a setting have in common: the word for the thing that is short. It decides which setting is tried first, and never what is
 * proved: that is for copies to say.
 *
 * @typedef {object} Topic
 * @property {RegExp} told   in a cause, its title or a line under it
 * @property {RegExp} named  in the name of a setting
 */

/** @type {Topic[]} */
const TOPICS = [
	{ told: /keep-?alive|idle connection|raced?\b|closed .*idle/i, named: /keep_?-?alive|idle/i },
	{ told: /pool|connection is not available|checkout/i, named: /pool|max_?conn|max_?active|max_?idle/i },
	{ told: /worker|thread|children|process(es)? (were|was)|accept|busy/i, named: /worker|thread|children|process|concurrency|^-[wt]$/i },
	{
		told: /too many (clients|connections)|max(imum)? (number of )?(clients|connections)|connections? .*(limit|at most)|turned .* away|refused/i,
		named: /max_?-?(clients|conn)|connections/i,
	},
	{ told: /slot|connection table|worker_connections/i, named: /worker_connections|maxconn/i },
	{ told: /heap|memory/i, named: /memory|heap|ram/i },
	{ told: /disk|space|tmpfs|shared memory|ENOSPC/i, named: /tmpfs|disk|size|shm/i },
	{ told: /port|assign requested address/i, named: /port/i },
	{ told: /file descriptor|open files/i, named: /nofile|files/i },
	{ told: /\bCPU\b|throttled|quota/i, named: /cpu/i },
	{ told: /check|left out|taken out/i, named: /worker|thread|check|^-[wt]$/i },
	{ told: /session|lock|in turn|one after/i, named: /session|lock|serial|parallel|concurren/i },
	{ told: /header|cookie/i, named: /header|cookie|parallel/i },
	{ told: /queue|backlog/i, named: /queue|backlog/i },
	{ told: /time-?out|gave up|too long/i, named: /time-?_?out/i },
];

/**
 * How well a setting fits what a cause is about.
 * @param {string} told  the words of a cause
 * @param {string} name  of a setting
 * @returns {number} topics that they share
 */
export const sharedTopics = (told, name) => TOPICS.filter((topic) => topic.told.test(told) && topic.named.test(name)).length;

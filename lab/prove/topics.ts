/**
 * What a cause and a setting have in common: the word for the thing that is short. It decides which setting is tried first, and never what is
 * proved: that is for copies to say.
 */
type Topic = {
	/** in a cause, its title or a line under it */
	about: RegExp;
	/** in the name of a setting */
	named: RegExp;
};

const TOPICS: Topic[] = [
	{ about: /keep-?alive|idle connection|raced?\b|closed .*idle/i, named: /keep_?-?alive|idle/i },
	{ about: /pool|connection is not available|checkout/i, named: /pool|max_?conn|max_?active|max_?idle/i },
	{
		about: /worker|thread|children|process(es)? (were|was)|accept|busy/i,
		named: /worker|thread(?!pool)|children|process|concurrency|^-[wt]$/i,
	},
	{
		about:
			/too many (clients|connections)|max(imum)? (number of )?(clients|connections)|connections? .*(limit|at most|refused)|refused .*connection|ECONNREFUSED|turned .* away/i,
		named: /max_?-?(clients|conn)|connections/i,
	},
	{ about: /slots?\b|connection table/i, named: /connections$|maxconn/i },
	{ about: /heap|memory|garbage|collector/i, named: /memory|heap|ram|Xmx|old[-_]space/i },
	{ about: /thread ?pool|libuv|look-?up of names|getaddrinfo/i, named: /UV_THREADPOOL/i },
	{ about: /disk|space|tmpfs|shared memory|ENOSPC/i, named: /tmpfs|disk|size|shm/i },
	{ about: /port|assign requested address/i, named: /port/i },
	{ about: /file descriptor|open files/i, named: /nofile|files/i },
	{ about: /\bCPU\b|throttled|quota|cores/i, named: /cpu/i },
	{ about: /another thread|processes|fork/i, named: /pids/i },
	{ about: /check|left out|taken out/i, named: /worker|thread|check|^-[wt]$/i },
	{ about: /session|lock|in turn|one after/i, named: /session|lock|serial|parallel|concurren/i },
	{ about: /header|cookie/i, named: /header|cookie|parallel|buffer_size/i },
	{ about: /body|too large|upload/i, named: /body_size/i },
	{ about: /queue|backlog/i, named: /queue|backlog/i },
	{ about: /time-?out|gave up|too long/i, named: /time-?_?out/i },
];

/**
 * How well a setting fits what a cause is about.
 * @param words of a cause
 * @param name of a setting
 * @returns topics that they share
 */
export const sharedTopics = (words: string, name: string): number =>
	TOPICS.filter((topic) => topic.about.test(words) && topic.named.test(name)).length;

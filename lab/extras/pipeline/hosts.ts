/** Where a pipeline's job tells what it found: the files and the API of GitHub Actions, and those of GitLab CI. */

import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { NotReadyError } from '../../base/errors.ts';
import { withCodes } from '../../base/hidden-characters.ts';
import { jsonIn } from '../../base/values.ts';

export type Env = Record<string, string | undefined>;

type Host = {
	/** folder of the checkout */
	workspace: string;
	/** by which its comment is told from those of other jobs */
	job: string;
	output: (values: Record<string, string>) => void;
	/** on the job's own page */
	summarize: (markdown: string) => void;
	annotate: (level: 'error' | 'notice', message: string) => void;
	/** the host obeys nothing that is printed meanwhile */
	quoting: <T>(work: () => Promise<T>) => Promise<T>;
	/** null where the job is of no pull request, or has no token */
	comments: Comments | null;
};

/** of one pull request */
type Comments = {
	api: string;
	headers: Record<string, string>;
	/** path */
	list: string;
	/** path */
	one: (id: number) => string;
	/** method */
	change: 'PATCH' | 'PUT';
	/** which are this program's: anybody may write its mark into one of theirs */
	own: (ask: Ask) => Promise<(comment: any) => boolean>;
};

/** throws where the host refuses */
type Ask = (path: string, method?: string, body?: object) => Promise<any>;

/** GitHub takes 65,536 characters. */
const COMMENT_MOST = 60_000;
/** GitHub takes a mebibyte, all steps of a job together. */
const SUMMARY_MOST = 500_000;
const CUT = '\n\n*The rest is in the report.*\n';
const PAGE = 100;
const PAGES_MOST = 50;
const ANSWER_MS = 20_000;

/** @throws {NotReadyError} where it is neither */
export function hostOf(env: Env, print: (line: string) => void): Host {
	const show = (line: string) => print(withCodes(line));
	if (env.GITHUB_ACTIONS) return gitHub(env, show);
	if (env.GITLAB_CI) return gitLab(env, show);
	throw new NotReadyError('pipeline: expected a job of GitHub Actions or of GitLab CI; found neither.', 'call "doubletake run" by itself.');
}

function gitHub(env: Env, print: (line: string) => void): Host {
	const { GITHUB_WORKSPACE = '', GITHUB_WORKFLOW, GITHUB_JOB, GITHUB_API_URL = '', GITHUB_REPOSITORY, PIPELINE_TOKEN: token } = env;
	const event = env.GITHUB_EVENT_PATH ? jsonIn(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')) : null;
	const number = Number(event?.pull_request?.number);
	return {
		workspace: GITHUB_WORKSPACE,
		job: [GITHUB_WORKFLOW, GITHUB_JOB].join('/'),
		output(values) {
			for (const [name, value] of Object.entries(values)) {
				// A value may hold anything but the mark that ends it.
				const end = randomUUID();
				append(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
			}
		},
		summarize: (markdown) => append(env.GITHUB_STEP_SUMMARY, cut(markdown, SUMMARY_MOST)),
		annotate: (level, message) => print(`::${level} title=Doubletake::${commandData(message)}`),
		async quoting(work) {
			const end = randomUUID();
			print(`::stop-commands::${end}`);
			try {
				return await work();
			} finally {
				print(`::${end}::`);
			}
		},
		comments:
			token && number > 0
				? {
						api: GITHUB_API_URL,
						headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
						list: `/repos/${GITHUB_REPOSITORY}/issues/${number}/comments`,
						one: (id) => `/repos/${GITHUB_REPOSITORY}/issues/comments/${id}`,
						change: 'PATCH',
						own:
							async () =>
							({ user, author_association: is }) =>
								user?.type === 'Bot' || ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(is),
					}
				: null,
	};
}

/** As the runner reads the data of a command. */
const commandData = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

function gitLab(env: Env, print: (line: string) => void): Host {
	const { CI_PROJECT_DIR = '', CI_JOB_NAME = '', CI_API_V4_URL = '', CI_PROJECT_ID, CI_MERGE_REQUEST_IID, PIPELINE_TOKEN: token } = env;
	const notes = `/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
	return {
		workspace: CI_PROJECT_DIR,
		job: CI_JOB_NAME,
		// A report of the kind dotenv, whose values have no line breaks.
		output(values) {
			const line = ([name, value]: [string, string]) =>
				`DOUBLETAKE_${name.toUpperCase().replaceAll('-', '_')}=${value.replaceAll(/\s+/g, ' ')}\n`;
			append(env.PIPELINE_OUTPUT, Object.entries(values).map(line).join(''));
		},
		// Its jobs have no page for one: the thresholds are in the JUnit report, the rest in the note and in the artifacts.
		summarize() {},
		annotate: (level, message) => print(`${level}: ${message}`),
		quoting: (work) => work(),
		comments:
			token && CI_MERGE_REQUEST_IID
				? {
						api: CI_API_V4_URL,
						headers: { 'private-token': token },
						list: notes,
						one: (id) => `${notes}/${id}`,
						change: 'PUT',
						async own(ask) {
							const { id } = await ask('/user');
							return ({ author }) => author?.id === id;
						},
					}
				: null,
	};
}

function append(file: string | undefined, text: string) {
	if (file) appendFileSync(file, text);
}

/** At the end of a line. */
const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most).replace(/\n[^\n]*$/, '')}${CUT}`);

/**
 * Leaves one comment with this name, however often it is called.
 * @throws {Error} that says what the host answered
 */
export async function comment({ api, headers, list, one, change, own }: Comments, name: string, markdown: string) {
	const ask: Ask = async (path, method = 'GET', body = undefined) => {
		const answer = await fetch(`${api}${path}`, {
			method,
			headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'doubletake' },
			body: body && JSON.stringify(body),
			signal: AbortSignal.timeout(ANSWER_MS),
		});
		if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
		return answer.json();
	};
	// Nothing of a name ends a comment of HTML early.
	const mark = `<!-- doubletake ${encodeURIComponent(name)} -->`;
	const body = `${mark}\n${cut(markdown, COMMENT_MOST)}`;
	const isOwn = await own(ask);
	for (let page = 1; page <= PAGES_MOST; page += 1) {
		const found = await ask(`${list}?per_page=${PAGE}&page=${page}`);
		const earlier = found.find((candidate: any) => candidate.body?.startsWith(mark) && isOwn(candidate));
		if (earlier) return void (await ask(one(earlier.id), change, { body }));
		if (found.length < PAGE) break;
	}
	await ask(list, 'POST', { body });
}

/**
 * Where a pipeline's job tells what it found: the files and the API of GitHub Actions, and those of GitLab CI.
 *
 * @typedef {Record<string, string | undefined>} Env
 *
 * @typedef {object} Host
 * @property {string} workspace  folder of the checkout
 * @property {string} job        by which its comment is told from those of other jobs
 * @property {(values: Record<string, string>) => void} output
 * @property {(markdown: string) => void} summarize  on the job's own page
 * @property {(level: 'error' | 'notice', message: string) => void} annotate
 * @property {<T>(work: () => Promise<T>) => Promise<T>} quoting  the host obeys nothing that is printed meanwhile
 * @property {Comments | null} comments  null where the job is of no pull request, or has no token
 *
 * @typedef {object} Comments    of one pull request
 * @property {string} api
 * @property {Record<string, string>} headers
 * @property {string} list       path
 * @property {(id: number) => string} one  path
 * @property {'PATCH' | 'PUT'} change  method
 * @property {(ask: Ask) => Promise<(comment: any) => boolean>} own  which are this program's: anybody may write its mark into one of theirs
 *
 * @typedef {(path: string, method?: string, body?: object) => Promise<any>} Ask  throws where the host refuses
 */

import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { NotReadyError } from '../../base/errors.ts';
import { withCodes } from '../../base/hidden-characters.ts';
import { jsonIn } from '../../base/values.ts';

/** GitHub takes 65,536 characters. */
const COMMENT_MOST = 60_000;
/** GitHub takes a mebibyte, all steps of a job together. */
const SUMMARY_MOST = 500_000;
const CUT = '\n\n*The rest is in the report.*\n';
const PAGE = 100;
const PAGES_MOST = 50;
const ANSWER_MS = 20_000;

/** @param {Env} env @param {(line: string) => void} print @returns {Host} @throws {NotReadyError} where it is neither */
export function hostOf(env, print) {
	const show = (/** @type {string} */ line) => print(withCodes(line));
	if (env.GITHUB_ACTIONS) return gitHub(env, show);
	if (env.GITLAB_CI) return gitLab(env, show);
	throw new NotReadyError('pipeline: expected a job of GitHub Actions or of GitLab CI; found neither.', 'call "doubletake run" by itself.');
}

/** @type {(env: Env, print: (line: string) => void) => Host} */
function gitHub(env, print) {
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

/** As the runner reads the data of a command. @param {string} text */
const commandData = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** @type {(env: Env, print: (line: string) => void) => Host} */
function gitLab(env, print) {
	const { CI_PROJECT_DIR = '', CI_JOB_NAME = '', CI_API_V4_URL = '', CI_PROJECT_ID, CI_MERGE_REQUEST_IID, PIPELINE_TOKEN: token } = env;
	const notes = `/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
	return {
		workspace: CI_PROJECT_DIR,
		job: CI_JOB_NAME,
		// A report of the kind dotenv, whose values have no line breaks.
		output(values) {
			const line = (/** @type {[string, string]} */ [name, value]) =>
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

/** @param {string | undefined} file @param {string} text */
function append(file, text) {
	if (file) appendFileSync(file, text);
}

/** At the end of a line. @param {string} text @param {number} most */
const cut = (text, most) => (text.length <= most ? text : `${text.slice(0, most).replace(/\n[^\n]*$/, '')}${CUT}`);

/**
 * Leaves one comment with this name, however often it is called.
 * @param {Comments} comments
 * @param {string} name
 * @param {string} markdown
 * @throws {Error} that says what the host answered
 */
export async function comment({ api, headers, list, one, change, own }, name, markdown) {
	/** @type {Ask} */
	const ask = async (path, method = 'GET', body = undefined) => {
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
		const earlier = found.find((/** @type {any} */ candidate) => candidate.body?.startsWith(mark) && isOwn(candidate));
		if (earlier) return void (await ask(one(earlier.id), change, { body }));
		if (found.length < PAGE) break;
	}
	await ask(list, 'POST', { body });
}

/**
 * Lines of a log that say that something failed, or where it was thrown, and not why: the status of an answer in words, "error handling request",
 * a summary of a request, a frame of a stack. Beside one that gives a reason they are none. Frameworks word them in many ways, of few words.
 */

/** Where something was thrown: frames that are not indented, and what stands around them. Figures are `#`, paths begin with `/`. */
const FRAMES = [
	/^(?:at|from|in) .*(?:\.\w{1,5}|\/\S*):#(?::in\b.*)?\)?$/,
	/^[\w./-]+\.\w{1,5}:#(?::?\s*(?:in|at) \S+)?$/,
	/^File ["'].*\bline #(?:, in \S+)?$/,
	/^created by \S+(?: in \S+ #)?$/,
];

/** How the field words statuses: https://www.rfc-editor.org/rfc/rfc9110#section-15 */
const STATUSES =
	/\b(?:internal server error|bad gateway|service unavailable|gateway time-?out|too many requests|bad request|not found|forbidden|unauthorized|request time-?out|not implemented)\b/gi;

/** What varies from one request to the next: a name with its figure or value, an id, a path, an address. */
const VALUES = [
	/\b(?:connection|request|trace|correlation|session)[ _-]?id\b\s*[:=]?\s*(?:"[^"]*"|'[^']*'|#)?/gi,
	/[\w.-]+\s*[:=]\s*#\w*/g,
	/"[^"]*"|(?<!\w)'[^']*'(?!\w)/g,
	/(?<!\w)\/\S*/g,
	/\w+:\/\/\S*/g,
	/#\w{0,3}\b/g,
];

/** Words of which a line is made that tells of a request, and that it failed. */
const OF_FAILING = new Set(
	(
		'a an the this that it was were is are be been has have had by to of in into on at for from with while during when after before and or not no ' +
		'see below ' +
		'request requests req response responses res http https call route endpoint url uri path read method handler handlers handling handle handled ' +
		'middleware controller action context path service get post put patch delete head options ' +
		'error errors errored err exception exceptions failed failure failures fail failing fails unhandled uncaught unexpected unknown internal ' +
		'process processing processed execute executed executing execution serve serving served complete completed completing finish finished done ' +
		'occurred occur happened raise raised throw threw thrown throwing return returned returning send sending sent got respond responded replied ended ' +
		'status code statuscode duration took time elapsed ms s sec seconds size bytes length user agent ip remote client host ' +
		'app application applications program worker thread task job main default root web api server asgi wsgi servlet dispatcher async promise ' +
		'rejection runtime fatal critical warning warn info debug trace notice severe log logs stack backtrace traceback details'
	).split(' '),
);

/** @param text of a line, with its figures masked */
export function isBare(text: string): boolean {
	const line = text.trim();
	if (FRAMES.some((frame) => frame.test(line))) return true;
	const rest = VALUES.reduce((left, value) => left.replace(value, ' '), line.replace(STATUSES, ' '));
	const words = rest.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+/gu) ?? [];
	return words.every((word) => OF_FAILING.has(word.toLowerCase()));
}

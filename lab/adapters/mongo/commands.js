/**
 * What is read of commands of MongoDB and of their answers. https://www.mongodb.com/docs/manual/reference/command/
 */
import { readElements, readNumber, readText } from './bson.js';

/** Whatever else stands first in a message is not kept. In the spelling of the server. */
const VERBS = new Set(
  (
    'abortTransaction aggregate authenticate buildInfo buildinfo bulkWrite collMod collStats commitTransaction compact connPoolStats connectionStatus ' +
    'convertToCapped count create createIndexes createUser currentOp dbStats delete distinct drop dropDatabase dropIndexes endSessions ' +
    'explain find findAndModify findandmodify fsync getCmdLineOpts getLog getMore getParameter hello hostInfo insert isMaster ismaster ' +
    'killCursors killOp killSessions listCollections listDatabases listIndexes logout mapReduce ping profile refreshSessions ' +
    'renameCollection replSetGetStatus replSetHeartbeat replSetUpdatePosition replSetStepDown replSetInitiate replSetGetConfig saslContinue ' +
    'saslStart serverStatus setParameter shutdown startSession top update usersInfo validate whatsmyuri'
  ).split(' '),
);
const GREETINGS = new Set(['hello', 'isMaster', 'ismaster']);
const LOGINS = new Set(['saslStart', 'saslContinue', 'authenticate']);
const BEATS = new Set(['ping', 'replSetHeartbeat', 'replSetUpdatePosition']);
/** Of others it is a name of a user, or of something of the server's. */
const OF_COLLECTIONS = new Set(
  (
    'aggregate collMod collStats compact convertToCapped count create createIndexes delete distinct drop dropIndexes find findAndModify ' +
    'findandmodify getMore insert killCursors listIndexes mapReduce renameCollection update validate'
  ).split(' '),
);
const COLLECTION = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * @param {Buffer} bytes
 * @param {number} from  where its document begins
 * @param {boolean} isFirst  of its connection
 * @returns {{ verb: string, template: string, role: import('../../wire/contract.js').Role }}
 */
export function readCommand(bytes, from, isFirst) {
  const [first] = readElements(bytes, from, 1).elements;
  const verb = first && VERBS.has(first.name) ? first.name : '';
  if (GREETINGS.has(verb)) return { verb, template: verb, role: isFirst ? 'connect' : 'beat' };
  if (!OF_COLLECTIONS.has(verb)) return { verb, template: verb, role: LOGINS.has(verb) ? 'connect' : BEATS.has(verb) ? 'beat' : 'call' };
  const collection = readText(
    bytes,
    verb === 'getMore' ? readElements(bytes, from).elements.find(({ name }) => name === 'collection') : first,
  );
  // A name with a number may be made for each user.
  return { verb, template: COLLECTION.test(collection) ? `${verb} ${collection.replace(/\d{2,}/g, ':n')}` : verb, role: 'call' };
}

/**
 * Errors that are the server's: no room, a time-out, a shutdown, another primary, what others do in it. With all others it could answer.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const SERVERS = new Set([
  1, 6, 7, 8, 24, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 136, 146, 175, 189, 202, 225, 237, 246, 251, 262, 290, 292, 317, 349, 358,
  384, 402, 462, 9001, 10107, 11600, 11601, 11602, 13388, 13435, 13436, 14031, 16755,
]);

/**
 * @param {Buffer} bytes
 * @param {number} from  where its document begins
 * @returns {{ code: string | null, bad: boolean, isCut: boolean }} code: of the answer, or of the first write that failed
 */
export function readAnswer(bytes, from) {
  const { elements, isCut } = readElements(bytes, from);
  const named = (/** @type {string} */ name) => elements.find((element) => element.name === name);
  const ok = readNumber(bytes, named('ok'));
  const own = readNumber(bytes, named('code'));
  if (ok === 0)
    return { code: own === null ? 'unknown' : String(own), bad: own === null || SERVERS.has(own), isCut: isCut && own === null };
  const errors = named('writeErrors') ?? named('writeConcernError');
  const code = errors ? firstCode(bytes, errors) : null;
  // What found something begins with it; only an error has nothing else to say.
  const hasData = elements[0]?.name === 'cursor';
  return { code: code === null ? null : String(code), bad: code !== null && SERVERS.has(code), isCut: isCut && ok === null && !hasData };
}

/** @param {Buffer} bytes @param {import('./bson.js').Element} errors  one, or a list of them */
function firstCode(bytes, { type, at }) {
  const { elements } = readElements(bytes, at);
  const [first] = elements;
  const own = type === 4 && first ? readElements(bytes, first.at).elements : elements;
  return readNumber(
    bytes,
    own.find(({ name }) => name === 'code'),
  );
}

/**
 * A MongoDB of the shipped systems: what its observer (app/observer) was told once a second, and what its own log tells of moments: that it
 * refused a connection, of which it has no counter before 6.3, and that it was told to stop.
 *
 * @typedef {import('../contract.js').StoreReading} StoreReading
 */
import { parseLines } from '../../options/json-lines.js';
import { LOG_IDS, STOPS } from './log-ids.js';

/** Inside `raw/`: what the observer wrote of all databases. */
export const OBSERVED = 'mongo.ndjson';
/** @param {string} service */
export const logOf = (service) => `${service}.log`;

/** @type {import('../contract.js').Store} */
export const store = {
  program: 'mongod',
  source: 'serverStatus',
  operations: 'opcounters',
  // Of its drivers: serverSelectionTimeoutMS and heartbeatFrequencyMS (https://www.mongodb.com/docs/manual/reference/connection-string-options/).
  search_s: 30,
  retry_s: 10,
  read: ({ file }, { service, observers }) => {
    const log = file(logOf(service));
    const rows = parseLines(file(OBSERVED), OBSERVED).filter(({ name = service }) => name === service);
    return { readings: rows.map(readingOf), refused: parseRefusals(log, observers), stopping: parseStops(log) };
  },
};

/** Whether a line of its log says that it refused a connection, or was told to stop. @param {string} line */
export const tellsOfTrouble = (line) => parseRefusals(line).length > 0 || parseStops(line).length > 0;

/** @param {any} row @returns {StoreReading} */
function readingOf({ connections, opcounters, latencies, ...row }) {
  const workedOn = (/** @type {{ latency: number, ops: number }} */ { latency, ops }) => ({ us: latency, count: ops });
  return {
    ...row,
    ...(connections && {
      connections: {
        open: connections.current,
        free: connections.available,
        ...(connections.rejected !== undefined && { refused: connections.rejected }),
      },
    }),
    ...(opcounters && { operations: opcounters }),
    ...(latencies && { worked: { reads: workedOn(latencies.reads), writes: workedOn(latencies.writes) } }),
  };
}

/** Of "Received signal", the one that ends it; SIGUSR1 turns its log over. */
const STOPPING = new RegExp(`"signal":(?:${STOPS.join('|')})\\b`);

/** Of whom it refused, up to the port. */
const REMOTE = /"remote":"([^"]*):\d+"/;

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @param {string[]} [own]  addresses of the lab's own observers, who are no clients
 * @returns {number[]} seconds since 1970
 */
const parseRefusals = (text, own = []) => momentsOf(text, LOG_IDS.refused, (line) => !own.includes(REMOTE.exec(line)?.[1] ?? ''));

/**
 * @param {string} text of mongod's log
 * @returns {number[]} seconds since 1970; it answers what it then interrupts with an error
 */
const parseStops = (text) => momentsOf(text, LOG_IDS.signal, (line) => STOPPING.test(line));

/** @type {(text: string, id: number, isWanted: (line: string) => boolean) => number[]} */
const momentsOf = (text, id, isWanted) =>
  text
    .split('\n')
    .filter((line) => line.includes(`"id":${id},`) && isWanted(line))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);

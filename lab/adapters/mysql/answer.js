/**
 * Where the answer to a command of MySQL's ends: an OK; a text; or definitions of columns and then rows, each list with its end, once or
 * several times.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html
 *
 * @typedef {import('../../wire/contract.js').ConnectionState} State
 */
import { EOF, LONGEST, OK, readNumber, readStatus } from './packets.js';

/** The server asks for a file of the client's. */
const LOCAL_FILE = 0xfb;

export class Answer {
  isPrepare;
  /** In which it left the connection; null where it does not say. @type {State | null} */
  state = null;
  #isText;
  #isLogin;
  #hasEof;
  /** @type {'first' | 'definitions' | 'rows'} */
  #part = 'first';
  /** Definitions that are still to come, and ends of lists of them. */
  #definitions = 0;
  #ends = 0;

  /** @param {{ isPrepare: boolean, isText: boolean, isLogin: boolean, hasEof: boolean }} about  isText: one packet that is no OK; hasEof: lists of definitions have an end */
  constructor({ isPrepare, isText, isLogin, hasEof }) {
    this.isPrepare = isPrepare;
    this.#isText = isText;
    this.#isLogin = isLogin;
    this.#hasEof = hasEof;
  }

  /**
   * @param {Buffer} body  of a packet that is no error, as far as it is read
   * @param {number} length  of its body
   * @returns {boolean} whether it was the last
   */
  takes(body, length) {
    if (this.#part === 'first') return this.#takesFirst(body, length);
    if (this.#part === 'definitions') return this.#takesDefinition(body, length);
    return isEnd(body, length) && this.#takesStatus(body);
  }

  /** @param {Buffer} body @param {number} length */
  #takesFirst(body, length) {
    if (this.#isText) return true;
    // A login goes on until its OK: salts and keys come between.
    if (this.#isLogin) return body[0] === OK && this.#takesStatus(body);
    if (this.isPrepare) return this.#takesPrepared(body);
    if (body[0] === OK || isEnd(body, length)) return this.#takesStatus(body);
    if (body[0] === LOCAL_FILE) return false;
    const columns = readNumber(body, 0);
    // MariaDB may leave out definitions that the client has: https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/result-set-packets
    const areLeftOut = columns !== null && length === columns.next + 1 && body[columns.next] === 0;
    this.#expect(areLeftOut ? 0 : (columns?.value ?? 0), 1);
    this.#part = this.#definitions + this.#ends > 0 ? 'definitions' : 'rows';
    return false;
  }

  /** Its number, and how many columns and parameters have a definition. @param {Buffer} body */
  #takesPrepared(body) {
    if (body.length < 9) return true;
    const [columns, parameters] = [body.readUInt16LE(5), body.readUInt16LE(7)];
    this.#expect(columns + parameters, Number(columns > 0) + Number(parameters > 0));
    this.#part = 'definitions';
    return this.#definitions + this.#ends === 0;
  }

  /** @param {number} definitions @param {number} lists */
  #expect(definitions, lists) {
    this.#definitions = definitions;
    this.#ends = this.#hasEof ? lists : 0;
  }

  /** @param {Buffer} body @param {number} length */
  #takesDefinition(body, length) {
    if (body[0] === EOF && length <= 5) this.#ends -= 1;
    else this.#definitions -= 1;
    if (this.#definitions > 0 || this.#ends > 0) return false;
    this.#part = 'rows';
    return this.isPrepare;
  }

  /** @param {Buffer} body */
  #takesStatus(body) {
    const status = readStatus(body);
    if (!status) return true;
    this.state = status.state;
    this.#part = 'first';
    return !status.hasMore;
  }
}

/** Of rows: an EOF, or an OK in its place. A row that begins so is longer than a packet. @param {Buffer} body @param {number} length */
const isEnd = (body, length) => body[0] === EOF && length < LONGEST;

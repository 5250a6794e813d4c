/**
 * Rows of a record as columns, which pack to a fraction of their text: rows of one shape stand together, every field once, and numbers as the
 * differences that are short. Whatever JSON goes in comes out, to the last digit. Pure.
 *
 * A column is a list of a letter and what that kind needs: see PACKED.
 *
 * @typedef {[kind: string, ...rest: any[]]} Column
 */

/** Decimal places of a number that is kept as a whole one: clocks and CPU times have at most nine. */
const PLACES_MOST = 9;
/** Whole numbers up to it are exact, and so is a whole one divided by a power of ten. */
const EXACT_MOST = Number.MAX_SAFE_INTEGER;

/** @param {any[]} rows @returns {[order: Column, groups: [size: number, column: Column][]]} */
export function packRows(rows) {
  /** @type {Map<string, { number: number, rows: any[] }>} */
  const groups = new Map();
  const order = rows.map((row) => {
    const shape = shapeOf(row);
    const group = groups.get(shape) ?? { number: groups.size, rows: [] };
    groups.set(shape, group);
    group.rows.push(row);
    return group.number;
  });
  return [packColumn(order), [...groups.values()].map((group) => [group.rows.length, packColumn(group.rows)])];
}

/** @param {ReturnType<typeof packRows>} packed @returns {any[]} */
export function unpackRows([order, groups]) {
  const total = groups.reduce((sum, [size]) => sum + size, 0);
  const rows = groups.map(([size, column]) => unpackColumn(column, size));
  const next = groups.map(() => 0);
  return unpackColumn(order, total).map((group) => rows[group][next[group]++]);
}

/**
 * Rows of one service, and of one kind, are alike from one to the next.
 * @param {any} row
 */
function shapeOf(row) {
  if (Array.isArray(row)) return `[${row.map((value) => (typeof value === 'string' ? 's' : kindOf(value)[0])).join('')}${row[0]}`;
  if (kindOf(row) !== 'record') return kindOf(row);
  return JSON.stringify([row.name ?? '', ...Object.entries(row).map(([name, value]) => [name, kindOf(value)])]);
}

/** @param {any} value */
function kindOf(value) {
  if (value === null) return 'none';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'record' : typeof value;
}

/** @param {any[]} values @param {number[] | null} [beside]  whole numbers of the column before @returns {Column} */
function packColumn(values, beside = null) {
  const [first] = values;
  if (values.every((value) => value === first)) return ['s', first ?? null];
  const kinds = new Set(values.map(kindOf));
  if (kinds.size > 1) return ['v', values];
  if (kinds.has('number')) return packNumbers(values, beside);
  if (kinds.has('record')) {
    const names = Object.keys(first);
    const isAlike = values.every((value) => JSON.stringify(Object.keys(value)) === JSON.stringify(names));
    if (!isAlike) return ['v', values];
    return ['r', names, packFields(names.map((name) => values.map((value) => value[name])))];
  }
  if (kinds.has('list')) {
    if (values.every(({ length }) => length === first.length))
      return ['t', first.length, packFields([...first.keys()].map((place) => values.map((value) => value[place])))];
    return ['l', packColumn(values.map(({ length }) => length)), packRows(values.flat())];
  }
  return ['v', values];
}

/** @param {any[][]} fields */
function packFields(fields) {
  /** @type {number[] | null} */
  let before = null;
  return fields.map((values) => {
    const packed = packColumn(values, before);
    if (packed[0] === 'n') before = wholeOf(values, packed[2]);
    return packed;
  });
}

/** @param {number[]} values @param {number} places */
const wholeOf = (values, places) => values.map((value) => Math.round(value * 10 ** places));

/** @param {number[]} values @param {number[] | null} beside @returns {Column} */
function packNumbers(values, beside) {
  const places = placesOf(values);
  if (places === null) return ['v', values];
  const whole = wholeOf(values, places);
  const ways = /** @type {[string, number[]][]} */ ([
    ['p', whole],
    ['d', whole.map((value, index) => (index === 0 ? value : value - whole[index - 1]))],
    ...(beside ? [['b', whole.map((value, index) => value - beside[index])]] : []),
  ]).filter(([, differences]) => differences.every((value) => Math.abs(value) <= EXACT_MOST));
  const [[way, least]] = ways.map((one) => /** @type {const} */ ([one, JSON.stringify(one[1]).length])).sort((a, b) => a[1] - b[1])[0];
  return ['n', way, places, least];
}

/** @param {number[]} values @returns {number | null} null where one has more */
function placesOf(values) {
  let places = 0;
  for (const value of values) {
    if (Object.is(value, -0)) return null;
    while (places <= PLACES_MOST) {
      const whole = Math.round(value * 10 ** places);
      if (Math.abs(whole) <= EXACT_MOST && whole / 10 ** places === value) break;
      places += 1;
    }
    if (places > PLACES_MOST) return null;
  }
  // A smaller number may need more than those before it allow.
  return values.every((value) => Math.abs(value * 10 ** places) <= EXACT_MOST && Math.round(value * 10 ** places) / 10 ** places === value)
    ? places
    : null;
}

/** @param {Column} column @param {number} size @param {number[] | null} [beside] @returns {any[]} */
function unpackColumn(column, size, beside = null) {
  const unpack = PACKED[column[0]];
  return unpack(column, size, beside);
}

/** @type {Record<string, (column: any, size: number, beside: number[] | null) => any[]>} */
const PACKED = {
  /** The same everywhere. */
  s: ([, value], size) => Array.from({ length: size }, () => structuredClone(value)),
  /** As they are. */
  v: ([, values]) => values,
  /** Numbers: plain, less the one before, or less the one beside in the column before. */
  n: (column, _, beside) => unpackWhole(column, beside).map((value) => value / 10 ** column[2]),
  /** Records of the same fields. */
  r: ([, names, fields], size) => {
    const columns = unpackFields(fields, size);
    return Array.from({ length: size }, (_, index) =>
      Object.fromEntries(names.map((/** @type {string} */ name, /** @type {number} */ at) => [name, columns[at][index]])),
    );
  },
  /** Lists of one length. */
  t: ([, , fields], size) => {
    const columns = unpackFields(fields, size);
    return Array.from({ length: size }, (_, index) => columns.map((values) => values[index]));
  },
  /** Lists of several. */
  l: ([, lengths, rows], size) => {
    const flat = unpackRows(rows);
    let at = 0;
    return unpackColumn(lengths, size).map((length) => {
      at += length;
      return flat.slice(at - length, at);
    });
  },
};

/** @param {Column} column @param {number[] | null} beside @returns {number[]} */
function unpackWhole([, way, , values], beside) {
  let sum = 0;
  return values.map((/** @type {number} */ value, /** @type {number} */ index) => {
    sum += value;
    if (way === 'd') return sum;
    return way === 'b' ? value + /** @type {number[]} */ (beside)[index] : value;
  });
}

/** @param {Column[]} fields @param {number} size */
function unpackFields(fields, size) {
  /** @type {number[] | null} */
  let before = null;
  return fields.map((column) => {
    const values = unpackColumn(column, size, before);
    if (column[0] === 'n') before = unpackWhole(column, before);
    return values;
  });
}

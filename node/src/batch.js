"use strict";
/** What a verb on many records gives. `crates/spikewire-node/src/batch.rs` is the other half. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Batch = void 0;
exports.makeBatch = makeBatch;
exports.failRow = failRow;
exports.makeRows = makeRows;
const node_util_1 = require("node:util");
const key_js_1 = require("./key.js");
const record_js_1 = require("./record.js");
/**
 * The outcomes of a batch, one per row, in input order.
 *
 * `batch[row]` and iterating give a `Record`, or `null` where there is no such record (or `where` is
 * not true for it); a row that failed throws its error when it is read. `codes` and `errors` look
 * without throwing.
 *
 * @typeParam B - the bins of the records
 */
class Batch {
    /** How many rows there are. */
    length;
    /**
     * The result code of every row: 0 is success, 2 no such record, 27 a record that `where` is not
     * true for; numbers below 0 are failures on this side.
     */
    codes;
    /** The errors of the rows that failed, by row. Records that are not there are no failures. */
    errors = new Map();
    /** The rows that failed and may have been written all the same. */
    inDoubt;
    /** How many rows found their record. */
    found;
    #rows = { spaces: 0, keys: [] };
    /** Batches come from the engine. */
    constructor(codes, found, inDoubt) {
        this.codes = codes;
        this.length = codes.length;
        this.found = found;
        this.inDoubt = inDoubt;
        const rows = this;
        for (let row = 0; row < codes.length; row++)
            rows[row] = null;
    }
    /** The keys, in input order. */
    get keys() {
        const { keys } = this.#rows;
        return keys.map((key, row) => key_js_1.Key.known(this.#space(row), key));
    }
    #space(row) {
        const { spaces } = this.#rows;
        return typeof spaces === 'number' ? spaces : spaces[row];
    }
    /** A row, counted from the end when negative; `undefined` where there is none. */
    at(row) {
        return this[row < 0 ? this.length + row : row];
    }
    /** Throws the error of the first row that failed; gives the batch itself otherwise. */
    raiseForErrors() {
        for (const error of this.errors.values())
            throw error;
        return this;
    }
    /**
     * The records that were found, by user key; by the digest in hexadecimal digits where that is all
     * there is. A row that failed throws its error. Keys that are Buffers are found as the same object.
     */
    toMap() {
        const found = new Map();
        for (let row = 0; row < this.length; row++) {
            const record = this[row];
            if (!record)
                continue;
            const key = this.#rows.keys[row];
            const name = Array.isArray(key) ? key[0].toString('hex') : key;
            found.set(name, record);
        }
        return found;
    }
    /** The rows, in input order. */
    *[Symbol.iterator]() {
        for (let row = 0; row < this.length; row++)
            yield this[row];
    }
    [node_util_1.inspect.custom]() {
        return `Batch(${this.length} rows, ${this.found} found, ${this.errors.size} failed)`;
    }
    /** @internal Tells records and errors their keys. */
    ofRecord(_, rows) {
        this.#rows = rows;
        const { spaces, keys } = rows;
        const errors = this.errors.size > 0 ? this.errors : undefined;
        for (let row = 0; row < keys.length; row++) {
            const space = typeof spaces === 'number' ? spaces : spaces[row];
            const error = errors?.get(row);
            if (error === undefined)
                this[row]?.ofRecord(space, keys[row]);
            else
                error.ofRecord(space, keys[row]);
        }
    }
}
exports.Batch = Batch;
/** Numbers in the array of what was found, for each record: row, generation, seconds to live. */
const NUMBERS = 3;
/** A batch without its records. */
function makeBatch(codes, found, inDoubt) {
    return new Batch(codes, found.length / NUMBERS, Array.from(inDoubt));
}
/** A row has failed: reading it throws the error. */
function failRow(batch, row, error) {
    const errors = batch.errors;
    errors.set(row, error);
    // An answer that cannot be read is the server's success, and none here.
    if (batch.codes[row] === 0)
        batch.codes[row] = error.code;
    Object.defineProperty(batch, row, {
        get() {
            throw error;
        },
        enumerable: true,
        configurable: true,
    });
}
/** Seconds left to live; records that never expire have -1. */
function secondsLeft(number) {
    return number === -1 ? null : number >>> 0;
}
/**
 * What makes up to `most` records of a batch in one call, all of certain bins. With 0, or where code
 * may not be made of strings, nothing is compiled for them.
 */
function makeRows(names, most) {
    if (most > 0) {
        try {
            return new Function('Record', 'secondsLeft', code(names, most))(record_js_1.Record, secondsLeft);
        }
        catch { }
    }
    return (batch, found, from, count, ...values) => {
        const rows = batch;
        for (let nth = 0; nth < count; nth++) {
            const at = NUMBERS * (from + nth);
            const bins = {};
            for (let bin = 0; bin < names.length; bin++) {
                (0, record_js_1.define)(bins, names[bin], values[nth * names.length + bin]);
            }
            const [row, generation, ttl] = found.subarray(at, at + NUMBERS);
            rows[row] = new record_js_1.Record(bins, generation, secondsLeft(ttl));
        }
    };
}
function code(names, most) {
    const fields = names.map((name, at) => {
        const quoted = JSON.stringify(name);
        return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${at}`;
    });
    const one = ['batch', 'found', 'at', ...names.map((_, at) => `v${at}`)].join(', ');
    const body = `batch[found[at]] =
    new Record({ ${fields.join(', ')} }, found[at + 1], secondsLeft(found[at + 2]))`;
    const made = `const one = (${one}) => { ${body} }`;
    const start = `let at = from * ${NUMBERS}`;
    if (names.length === 0) {
        return `${made}
    return (batch, found, from, count) => {
      ${start}
      for (let nth = 0; nth < count; nth++, at += ${NUMBERS}) one(batch, found, at)
    }`;
    }
    const values = Array.from({ length: most }, (_, nth) => names.map((_, at) => `v${nth}_${at}`));
    const steps = values.map((some, nth) => {
        const call = `one(batch, found, at + ${NUMBERS * nth}, ${some.join(', ')})`;
        return `${call}\nif (count === ${nth + 1}) return`;
    });
    return `${made}
  return (batch, found, from, count, ${values.flat().join(', ')}) => {
    ${start}
    ${steps.join('\n')}
  }`;
}
//# sourceMappingURL=batch.js.map
"use strict";
/** What a read gives. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Record = void 0;
exports.define = define;
exports.makeRecord = makeRecord;
exports.makeFactory = makeFactory;
const key_js_1 = require("./key.js");
/** A record: bins, generation and time to live. */
class Record {
    /** Bin names to values. Bins that the record does not have are not there. */
    bins;
    /** How often the record was written, from 1 to 65,535 and round again. */
    generation;
    /** Seconds left to live when it was read; `null` when it never expires. */
    ttl;
    #space = -1;
    #key;
    /** Records come from the engine. */
    constructor(bins, generation, ttl) {
        this.bins = bins;
        this.generation = generation;
        this.ttl = ttl;
    }
    /** The record's address. */
    get key() {
        return key_js_1.Key.known(this.#space, this.#key);
    }
    /** @internal */
    ofRecord(space, key) {
        this.#space = space;
        this.#key = key;
    }
}
exports.Record = Record;
/** Sets a property whatever its name is: `__proto__` is a name like any other. */
function define(target, name, value) {
    if (name === '__proto__') {
        Object.defineProperty(target, name, {
            value,
            writable: true,
            enumerable: true,
            configurable: true,
        });
    }
    else {
        ;
        target[name] = value;
    }
}
/** A record of any bins. */
function makeRecord(generation, ttl, names, values, results) {
    const bins = {};
    for (let at = 0; at < names.length; at++)
        define(bins, names[at], values[at]);
    const record = new Record(bins, generation, ttl);
    if (results !== null)
        Object.defineProperty(record, 'results', { value: results, enumerable: true });
    return record;
}
/**
 * What makes records of certain bins: an object literal, several times as quick as setting one
 * property after the other. Where code may not be made of strings, that is what is left.
 */
function makeFactory(names) {
    const values = names.map((_, at) => `v${at}`);
    const fields = names.map((name, at) => {
        const quoted = JSON.stringify(name);
        return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${at}`;
    });
    const parameters = ['generation', 'ttl', ...values].join(', ');
    const body = `return (${parameters}) => new Record({ ${fields.join(', ')} }, generation, ttl)`;
    try {
        return new Function('Record', body)(Record);
    }
    catch {
        return (generation, ttl, ...values) => makeRecord(generation, ttl, names, values, null);
    }
}
//# sourceMappingURL=record.js.map
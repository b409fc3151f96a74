"use strict";
/** A namespace and a set of a client. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Dataset = void 0;
const key_js_1 = require("./key.js");
const many_js_1 = require("./many.js");
/**
 * A namespace and a set of a client, from `client.dataset(namespace, set)`. Its verbs take user
 * keys, or keys that belong to it.
 *
 * @typeParam B - the bins of its records
 */
class Dataset extends many_js_1.ManyVerbs {
    #space;
    /** @internal */
    constructor(connection, namespace, set) {
        super(connection);
        this.#space = (0, key_js_1.spaceNumber)(namespace, set);
    }
    /** The namespace. */
    get namespace() {
        return (0, key_js_1.spaceNames)(this.#space).namespace;
    }
    /** The set; `null` for the null set. */
    get set() {
        return (0, key_js_1.spaceNames)(this.#space).set;
    }
    /** The whole key of a user key. */
    key(key) {
        return new key_js_1.Key(this.namespace, this.set, key);
    }
    /** @internal */
    spaceOf(key) {
        if (key instanceof key_js_1.Key && key.space !== this.#space) {
            throw new RangeError(`${key} does not belong to ${this.namespace}, ${this.set ?? 'null'}`);
        }
        return this.#space;
    }
    /** @internal */
    wireOf(key) {
        return key instanceof key_js_1.Key ? key.wire : key;
    }
}
exports.Dataset = Dataset;
//# sourceMappingURL=dataset.js.map
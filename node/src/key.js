"use strict";
/** A record's address. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Key = void 0;
exports.spaceNumber = spaceNumber;
exports.spaceNames = spaceNames;
const node_util_1 = require("node:util");
const native_js_1 = require("./native.js");
const numbers = new Map();
const names = [];
/** The number under which the native part knows a set. Throws for names that no server takes. */
function spaceNumber(namespace, set) {
    const name = `${namespace}\0${set ?? ''}`;
    let number = numbers.get(name);
    if (number === undefined) {
        number = native_js_1.native.space(namespace, set ?? undefined);
        numbers.set(name, number);
        names[number] = { namespace, set: set || null };
    }
    return number;
}
/** Namespace and set of a number. */
function spaceNames(space) {
    return names[space];
}
/** A user key, or a digest in an array, that needs no check. */
class KnownKey {
    key;
    constructor(key) {
        this.key = key;
    }
}
/**
 * A record's address: namespace, set and user key. Every verb of a client takes one, and so do the
 * verbs of the dataset that it belongs to.
 */
class Key {
    /** @internal */
    space;
    /** The user key; `null` when only the digest is known. */
    key;
    #digest;
    constructor(place, set, key) {
        if (set instanceof KnownKey) {
            this.space = place;
            const digest = Array.isArray(set.key) ? set.key[0] : undefined;
            this.key = digest === undefined ? set.key : null;
            this.#digest = digest;
            return;
        }
        this.space = spaceNumber(place, set);
        this.#digest = native_js_1.native.digest(this.space, key);
        this.key = key;
    }
    /** The key of a record of which only the 20-byte digest is known; its `key` is `null`. */
    static fromDigest(namespace, set, digest) {
        const space = spaceNumber(namespace, set);
        return Key.known(space, [native_js_1.native.digest(space, [digest])]);
    }
    /** @internal A key whose parts were checked before: the user key, or the digest in an array. */
    static known(space, key) {
        return new Key(space, new KnownKey(key));
    }
    /** @internal What the native part is given: the user key, or the digest in an array. */
    get wire() {
        return this.key === null ? [this.#digest] : this.key;
    }
    /** The namespace. */
    get namespace() {
        return spaceNames(this.space).namespace;
    }
    /** The set; `null` for the null set. */
    get set() {
        return spaceNames(this.space).set;
    }
    /** The record's 20-byte digest. */
    get digest() {
        this.#digest ??= native_js_1.native.digest(this.space, this.key);
        return this.#digest;
    }
    /** Whether both are the address of the same record. */
    equals(other) {
        return this.namespace === other.namespace && this.digest.equals(other.digest);
    }
    /** Namespace, set and key, for messages. */
    toString() {
        const key = this.key === null ? `digest ${this.digest.toString('hex')}` : (0, node_util_1.inspect)(this.key);
        return `Key(${this.namespace}, ${this.set ?? 'null'}, ${key})`;
    }
    [node_util_1.inspect.custom]() {
        return this.toString();
    }
}
exports.Key = Key;
//# sourceMappingURL=key.js.map
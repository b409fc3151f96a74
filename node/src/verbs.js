"use strict";
/** The verbs that clients and datasets share. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Verbs = exports.OPERATE = void 0;
const native_js_1 = require("./native.js");
const options_js_1 = require("./options.js");
const shapes_js_1 = require("./shapes.js");
const slots_js_1 = require("./slots.js");
const ways_js_1 = require("./ways.js");
const GET = [...options_js_1.READ, 'bins', 'default'];
exports.OPERATE = [...options_js_1.WRITE, 'readTouch', 'readMode'];
const PUT = 0;
const ADD = 1;
const APPEND = 2;
const PREPEND = 3;
/** The verbs on records that are named by keys of type `K` and have bins of type `B`. */
class Verbs {
    /** @internal */
    connection;
    /** @internal */
    constructor(connection) {
        this.connection = connection;
    }
    get(key, options, callback) {
        if (typeof options === 'function')
            return this.get(key, {}, options);
        const hasDefault = options !== undefined && options !== null && 'default' in options;
        const promise = this.#call(key, options, GET, (client, slot, space, wire, given) => native_js_1.native.get(client, slot, space, wire, options?.bins, given, hasDefault));
        if (hasDefault) {
            const fallback = promise.then((record) => record ?? options.default);
            return callback === undefined ? fallback : (0, ways_js_1.handOver)(fallback, callback);
        }
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    put(key, bins, options, callback) {
        return this.#write(PUT, key, bins, options, callback);
    }
    add(key, bins, options, callback) {
        return this.#write(ADD, key, bins, options, callback);
    }
    append(key, bins, options, callback) {
        return this.#write(APPEND, key, bins, options, callback);
    }
    prepend(key, bins, options, callback) {
        return this.#write(PREPEND, key, bins, options, callback);
    }
    exists(key, options, callback) {
        if (typeof options === 'function')
            return this.exists(key, {}, options);
        const promise = this.#call(key, options, options_js_1.READ, (client, slot, space, wire, given) => native_js_1.native.exists(client, slot, space, wire, given));
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    delete(key, options, callback) {
        if (typeof options === 'function')
            return this.delete(key, {}, options);
        const promise = this.#call(key, options, options_js_1.WRITE, (client, slot, space, wire, given) => native_js_1.native.remove(client, slot, space, wire, given));
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    touch(key, options, callback) {
        if (typeof options === 'function')
            return this.touch(key, {}, options);
        const promise = this.#call(key, options, options_js_1.WRITE, (client, slot, space, wire, given) => native_js_1.native.touch(client, slot, space, wire, given));
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    operate(key, operations, options, callback) {
        if (typeof options === 'function') {
            return this.operate(key, operations, {}, options);
        }
        const promise = this.#call(key, options, exports.OPERATE, (client, slot, space, wire, given) => native_js_1.native.operate(client, slot, space, wire, operations, given));
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    /** Calls a function of a registered module on a record; what it returns. */
    apply(key, module, name, args, options) {
        return this.#call(key, options, options_js_1.WRITE, (client, slot, space, wire, given) => native_js_1.native.apply(client, slot, space, wire, module, name, args, given));
    }
    #write(verb, key, bins, options, callback) {
        if (typeof options === 'function')
            return this.#write(verb, key, bins, undefined, options);
        const promise = this.#call(key, options, options_js_1.WRITE, (client, slot, space, wire, given) => write(client, slot, space, wire, given, verb, bins));
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
    /** Makes a promise, and lets `send` send what settles it. */
    #call(key, options, known, send) {
        const promise = new Promise(slots_js_1.executor);
        const slot = (0, slots_js_1.openSlot)();
        try {
            const space = this.spaceOf(key);
            const wire = this.wireOf(key);
            (0, slots_js_1.aboutRecord)(slot, space, wire);
            const given = (0, options_js_1.checked)(options, known);
            const signal = options?.signal;
            if (signal !== undefined)
                signal.throwIfAborted();
            send(this.connection.handle, slot, space, wire, given);
            if (signal !== undefined)
                (0, ways_js_1.withSignal)(promise, slot, signal);
        }
        catch (error) {
            (0, slots_js_1.refuse)(slot, error);
        }
        return promise;
    }
}
exports.Verbs = Verbs;
function write(client, slot, space, wire, options, verb, bins) {
    const v = [];
    const shape = (0, shapes_js_1.shapeOf)(bins, v);
    if (typeof shape !== 'number') {
        native_js_1.native.write(client, slot, space, wire, options, verb, shape, v);
        return;
    }
    // Arguments one by one: the native part reads these quicker than the elements of an array.
    switch (v.length) {
        case 1:
            native_js_1.native.write(client, slot, space, wire, options, verb, shape, v[0]);
            return;
        case 2:
            native_js_1.native.write(client, slot, space, wire, options, verb, shape, v[0], v[1]);
            return;
        case 3:
            native_js_1.native.write(client, slot, space, wire, options, verb, shape, v[0], v[1], v[2]);
            return;
        default:
            if (v.length > WIDEST) {
                native_js_1.native.write(client, slot, space, wire, options, verb, Object.keys(bins), v);
            }
            else {
                native_js_1.native.write(client, slot, space, wire, options, verb, shape, ...v);
            }
    }
}
/** Values that go as arguments of their own. */
const WIDEST = 16;
//# sourceMappingURL=verbs.js.map
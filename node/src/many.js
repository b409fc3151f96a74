"use strict";
/** The verbs on many records that clients and datasets share. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.ManyVerbs = void 0;
const gather_js_1 = require("./gather.js");
const native_js_1 = require("./native.js");
const options_js_1 = require("./options.js");
const slots_js_1 = require("./slots.js");
const verbs_js_1 = require("./verbs.js");
const ways_js_1 = require("./ways.js");
const GET_MANY = [...options_js_1.READ, 'bins'];
/** The verbs on many records, each in one call for all of them. */
class ManyVerbs extends verbs_js_1.Verbs {
    getMany(keys, options, callback) {
        if (typeof options === 'function')
            return this.getMany(keys, {}, options);
        return this.#many(keys, options, GET_MANY, callback, (client, slot, rows, given) => native_js_1.native.getMany(client, slot, rows.spaces, rows.keys, rows.numbers, options?.bins, given));
    }
    existsMany(keys, options, callback) {
        if (typeof options === 'function')
            return this.existsMany(keys, {}, options);
        return this.#many(keys, options, options_js_1.READ, callback, (client, slot, rows, given) => native_js_1.native.existsMany(client, slot, rows.spaces, rows.keys, rows.numbers, given));
    }
    deleteMany(keys, options, callback) {
        if (typeof options === 'function')
            return this.deleteMany(keys, {}, options);
        return this.#many(keys, options, options_js_1.WRITE, callback, (client, slot, rows, given) => native_js_1.native.removeMany(client, slot, rows.spaces, rows.keys, rows.numbers, given));
    }
    operateMany(keys, operations, options, callback) {
        if (typeof options === 'function') {
            return this.operateMany(keys, operations, {}, options);
        }
        return this.#many(keys, options, verbs_js_1.OPERATE, callback, (client, slot, rows, given) => native_js_1.native.operateMany(client, slot, rows.spaces, rows.keys, rows.numbers, operations, given));
    }
    applyMany(keys, module, name, args, options, callback) {
        if (typeof options === 'function') {
            return this.applyMany(keys, module, name, args, {}, options);
        }
        return this.#many(keys, options, options_js_1.WRITE, callback, (client, slot, rows, given) => {
            const { spaces, keys, numbers } = rows;
            native_js_1.native.applyMany(client, slot, spaces, keys, numbers, module, name, args, given);
        });
    }
    #many(keys, options, known, callback, send) {
        const promise = new Promise(slots_js_1.executor);
        const slot = (0, slots_js_1.openSlot)();
        try {
            const rows = (0, gather_js_1.rowsOf)(this, (0, gather_js_1.list)('keys', keys));
            (0, slots_js_1.aboutRecord)(slot, slots_js_1.NO_RECORD, rows);
            const given = (0, options_js_1.checked)(options, known);
            const signal = options?.signal;
            if (signal !== undefined)
                signal.throwIfAborted();
            send(this.connection.handle, slot, rows, given);
            if (signal !== undefined)
                (0, ways_js_1.withSignal)(promise, slot, signal);
        }
        catch (error) {
            (0, slots_js_1.refuse)(slot, error);
        }
        return callback === undefined ? promise : (0, ways_js_1.handOver)(promise, callback);
    }
}
exports.ManyVerbs = ManyVerbs;
//# sourceMappingURL=many.js.map
"use strict";
/** Operations: one step of `operate`, checked and encoded when it is made. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Operation = void 0;
exports.operation = operation;
exports.plain = plain;
exports.computing = computing;
const node_util_1 = require("node:util");
const calls_js_1 = require("./calls.js");
const native_js_1 = require("./native.js");
/**
 * One step of `operate`; made by the functions of `op`. It was checked when it was made, and can be
 * kept and used again.
 */
class Operation {
    /** What the native part made of it. */
    encoded;
    #given;
    /** @internal */
    constructor(encoded, given) {
        this.encoded = encoded;
        this.#given = given;
    }
    /** The call that makes it. Arrays and objects are shown as they are now. */
    toString() {
        return (0, calls_js_1.shown)(this.#given);
    }
    /** @internal */
    [node_util_1.inspect.custom]() {
        return this.toString();
    }
}
exports.Operation = Operation;
/**
 * An operation on a list, a map, bits or a sketch. `known` are its options.
 *
 * @internal
 */
function operation(family, kind, bin, values, known = {}, options) {
    const of = `op.${family}`;
    const found = (0, calls_js_1.taken)(of, kind, known, options);
    const all = [...values];
    for (const name in found)
        if (name !== 'ctx' && name !== 'pad')
            all.push(found[name]);
    const encoded = native_js_1.native.operation(family, kind, bin, all, found['ctx'], found['pad'] ?? false);
    return new Operation(encoded, { of, kind, values: [bin, ...values], options });
}
/**
 * An operation on a whole bin, or on the record.
 *
 * @internal
 */
function plain(kind, ...values) {
    const encoded = native_js_1.native.plainOperation(kind, ...values);
    return new Operation(encoded, { of: 'op', kind, values, options: undefined });
}
/**
 * An operation that reads or writes what an expression gives.
 *
 * @internal
 */
function computing(kind, bin, expression, known, options) {
    const flags = Object.values((0, calls_js_1.taken)('op', kind, known, options));
    const encoded = native_js_1.native.expressionOperation(kind, bin, expression, flags);
    return new Operation(encoded, { of: 'op', kind, values: [bin, expression], options });
}
//# sourceMappingURL=operation.js.map
"use strict";
/**
 * Bin names as the native part knows them: a list of names is told once and has a number from then
 * on. Asking Node-API for the names of an object would cost more than all the rest of a write.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.shapeOf = shapeOf;
const node_util_1 = require("node:util");
const native_js_1 = require("./native.js");
/** Lists of names that have a number; programs with more of them send names every time. */
const MOST = 4096;
const root = { number: -1, names: [], next: new Map() };
let known = 0;
/** The number of the bins' names, or the names themselves; their values are appended to `values`. */
function shapeOf(bins, values) {
    if (typeof bins !== 'object' || bins === null) {
        const type = bins === null ? 'null' : typeof bins;
        throw new TypeError(`bins must be an object of bin names to values, not ${type}`);
    }
    if (node_util_1.types.isMap(bins))
        return names([...bins], values);
    if (Array.isArray(bins)) {
        throw new TypeError('bins must be an object of bin names to values, not an array');
    }
    let node = root;
    for (const name in bins) {
        if (!Object.hasOwn(bins, name))
            continue;
        values.push(bins[name]);
        let next = node.next.get(name);
        if (next === undefined) {
            if (known >= MOST) {
                values.length = 0;
                return names(Object.entries(bins), values);
            }
            known++;
            next = { number: -1, names: [...node.names, name], next: new Map() };
            node.next.set(name, next);
        }
        node = next;
    }
    if (node.number < 0)
        node.number = native_js_1.native.shape(node.names);
    return node.number;
}
function names(entries, values) {
    for (const [, value] of entries)
        values.push(value);
    return entries.map(([name]) => name);
}
//# sourceMappingURL=shapes.js.map
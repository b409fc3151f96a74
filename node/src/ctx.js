"use strict";
/**
 * Steps of the path to a list or map that is nested in a bin, for the option `ctx` of `op` and
 * `exp`.
 *
 * ```ts
 * import { ctx, op } from 'spikewire'
 *
 * // the list at key "tags" of the first map in the list "items"
 * op.list.append('items', 'new', { ctx: [ctx.listIndex(0), ctx.mapKey('tags')] })
 * ```
 *
 * A path is an array of steps, from the bin inward. If a step leads nowhere, the operation fails
 * with `OpNotApplicable`, unless the step creates what is missing: `listIndexCreate` and
 * `mapKeyCreate` create the list or map in the order that they name.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Step = void 0;
exports.index = index;
exports.rank = rank;
exports.value = value;
exports.listIndex = listIndex;
exports.listRank = listRank;
exports.listValue = listValue;
exports.mapIndex = mapIndex;
exports.mapRank = mapRank;
exports.mapKey = mapKey;
exports.mapValue = mapValue;
exports.listIndexCreate = listIndexCreate;
exports.mapKeyCreate = mapKeyCreate;
const node_util_1 = require("node:util");
const calls_js_1 = require("./calls.js");
const native_js_1 = require("./native.js");
/** A step on the way to a nested list or map; made by the functions of `ctx`. */
class Step {
    /** What the native part made of it. */
    encoded;
    #given;
    /** @internal */
    constructor(encoded, given) {
        this.encoded = encoded;
        this.#given = given;
    }
    /** Whether the other step is the same. */
    equals(other) {
        return Buffer.compare(this.encoded, other.encoded) === 0;
    }
    /** The call that makes it. */
    toString() {
        return (0, calls_js_1.shown)(this.#given);
    }
    /** @internal */
    [node_util_1.inspect.custom]() {
        return this.toString();
    }
}
exports.Step = Step;
function step(kind, at) {
    const encoded = native_js_1.native.step(kind, at, undefined, false, false);
    return new Step(encoded, { of: 'ctx', kind, values: [at], options: undefined });
}
/** Into a list or map, whichever is there, by index; negative from the end. For reads. */
function index(index) {
    return step('index', index);
}
/**
 * Into a list or map, whichever is there, by rank: 0 is the smallest value, -1 the largest. For
 * reads.
 */
function rank(rank) {
    return step('rank', rank);
}
/** Into a list or map, whichever is there, by value: the first that equals it. For reads. */
function value(value) {
    return step('value', value);
}
/** Into a list by index; negative from the end. */
function listIndex(index) {
    return step('list_index', index);
}
/** Into a list by rank: 0 is the smallest element, -1 the largest. */
function listRank(rank) {
    return step('list_rank', rank);
}
/** Into a list by value: the first element that equals it. */
function listValue(value) {
    return step('list_value', value);
}
/** Into a map by the index of its keys in order; negative from the end. */
function mapIndex(index) {
    return step('map_index', index);
}
/** Into a map by the rank of its values: 0 is the smallest, -1 the largest. */
function mapRank(rank) {
    return step('map_rank', rank);
}
/** Into a map by key: a string, an integer or bytes. */
function mapKey(key) {
    return step('map_key', key);
}
/** Into a map by value: the first that equals it. */
function mapValue(value) {
    return step('map_value', value);
}
/** Into a list by index, created in this order if it is missing. */
function listIndexCreate(index, order = 'unordered', options) {
    const kind = 'list_index_create';
    const given = (0, calls_js_1.taken)('ctx', kind, { pad: false, persistIndex: false }, options);
    const encoded = native_js_1.native.step('list_index_create', index, order, given['pad'], given['persistIndex']);
    return new Step(encoded, { of: 'ctx', kind, values: [index, order], options });
}
/** Into a map by key, created in this order if it is missing. */
function mapKeyCreate(key, order = 'unordered', options) {
    const kind = 'map_key_create';
    const given = (0, calls_js_1.taken)('ctx', kind, { persistIndex: false }, options);
    const encoded = native_js_1.native.step(kind, key, order, false, given['persistIndex']);
    return new Step(encoded, { of: 'ctx', kind, values: [key, order], options });
}
//# sourceMappingURL=ctx.js.map
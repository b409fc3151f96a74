"use strict";
/** Keys and records as verbs on many of them are given them. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.atRow = atRow;
exports.list = list;
exports.kindOf = kindOf;
exports.rowsOf = rowsOf;
/** Numbers of the latest call; longer lists of keys get an array of their own. */
let scratch = new Float64Array(256);
const LONGEST = 1 << 16;
function room(count) {
    if (count <= scratch.length)
        return scratch;
    const array = new Float64Array(2 ** Math.ceil(Math.log2(count)));
    if (count <= LONGEST)
        scratch = array;
    return array;
}
/** What is wrong with a row, with its number. */
function atRow(row, error) {
    if (error instanceof TypeError)
        return new TypeError(`row ${row}: ${error.message}`);
    if (error instanceof RangeError)
        return new RangeError(`row ${row}: ${error.message}`);
    return error;
}
/** Goes through an array or another iterable, but not text or bytes. */
function list(what, items) {
    if (Array.isArray(items))
        return items.slice();
    const iterable = typeof items === 'object' &&
        items !== null &&
        typeof items[Symbol.iterator] === 'function' &&
        !(items instanceof Uint8Array);
    if (!iterable) {
        throw new TypeError(`${what} must be an iterable, such as an array, not ${kindOf(items)}`);
    }
    return Array.from(items);
}
/** A value's type for messages: the class of an object. */
function kindOf(value) {
    if (value === null)
        return 'null';
    if (typeof value !== 'object')
        return typeof value;
    return value.constructor?.name || 'object';
}
/** Rows of these keys; the array becomes theirs. */
function rowsOf(home, keys) {
    const count = keys.length;
    if (count === 0)
        return { spaces: [], keys, numbers: undefined };
    const numbers = room(count);
    let plain = 0;
    while (plain < count && typeof keys[plain] === 'number') {
        numbers[plain] = keys[plain];
        plain++;
    }
    if (plain === count) {
        return { spaces: spaceOf(home, keys[0], 0), keys, numbers };
    }
    let same;
    let each;
    for (let row = 0; row < count; row++) {
        const key = keys[row];
        // Where user keys by themselves belong is the same for all of them.
        const alone = typeof key !== 'object' && same !== undefined && each === undefined;
        const space = alone ? same : spaceOf(home, key, row);
        if (each !== undefined)
            each.push(space);
        else if (same === undefined)
            same = space;
        else if (same !== space) {
            each = new Array(row).fill(same);
            each.push(space);
        }
        if (typeof key === 'object') {
            if (Array.isArray(key)) {
                throw new TypeError(`row ${row}: a key must be a number, bigint, string or Buffer, not Array`);
            }
            keys[row] = home.wireOf(key);
        }
    }
    return { spaces: each ?? same, keys, numbers: undefined };
}
function spaceOf(home, key, row) {
    try {
        return home.spaceOf(key);
    }
    catch (error) {
        throw atRow(row, error);
    }
}
//# sourceMappingURL=gather.js.map
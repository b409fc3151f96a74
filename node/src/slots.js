"use strict";
/**
 * Promises that the native part settles. It knows each by the number of its slot: a promise made
 * here costs a fraction of one made there.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.NO_RECORD = exports.executor = void 0;
exports.openSlot = openSlot;
exports.aboutRecord = aboutRecord;
exports.refuse = refuse;
exports.abandon = abandon;
exports.settle = settle;
exports.fail = fail;
exports.done = done;
const resolvers = [];
const rejecters = [];
/** The record that a call is about, for what comes back. */
const spaces = [];
const keys = [];
const free = [];
let latestResolve;
let latestReject;
/** What `new Promise` is given: it runs at once, and the next `openSlot` takes what it left. */
const executor = (resolve, reject) => {
    latestResolve = resolve;
    latestReject = reject;
};
exports.executor = executor;
/** A slot for the promise that was made last. */
function openSlot() {
    const slot = free.length > 0 ? free.pop() : resolvers.length;
    resolvers[slot] = latestResolve;
    rejecters[slot] = latestReject;
    return slot;
}
/** The set of a call on many records, of which only its result learns the keys. */
exports.NO_RECORD = -1;
/** The record that a call is about, for its result or its error. */
function aboutRecord(slot, space, key) {
    spaces[slot] = space;
    keys[slot] = key;
}
function closeSlot(slot) {
    resolvers[slot] = undefined;
    rejecters[slot] = undefined;
    keys[slot] = undefined;
    free.push(slot);
}
/** The native part refused the call: its promise is rejected here. */
function refuse(slot, error) {
    const reject = rejecters[slot];
    closeSlot(slot);
    reject?.(error);
}
/** The call is not waited for any more; its slot stays taken until the native part is done. */
function abandon(slot, reason) {
    const reject = rejecters[slot];
    resolvers[slot] = undefined;
    rejecters[slot] = undefined;
    reject?.(reason);
}
function isOfRecord(value) {
    return (typeof value === 'object' &&
        value !== null &&
        typeof value.ofRecord === 'function');
}
/** A call has succeeded. */
function settle(slot, value) {
    const resolve = resolvers[slot];
    const key = keys[slot];
    if (key !== undefined && isOfRecord(value))
        value.ofRecord(spaces[slot], key);
    closeSlot(slot);
    resolve?.(value);
}
/** A call has failed. */
function fail(slot, error) {
    const reject = rejecters[slot];
    const key = keys[slot];
    const space = spaces[slot];
    if (key !== undefined && space !== exports.NO_RECORD && isOfRecord(error))
        error.ofRecord(space, key);
    closeSlot(slot);
    reject?.(error);
}
/** Calls have succeeded without a value. */
function done(...slots) {
    for (const slot of slots) {
        const resolve = resolvers[slot];
        closeSlot(slot);
        resolve?.(undefined);
    }
}
//# sourceMappingURL=slots.js.map
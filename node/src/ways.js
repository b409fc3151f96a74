"use strict";
/** Other ways than a promise by itself: callbacks, and calls that are given up. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.handOver = handOver;
exports.withSignal = withSignal;
const slots_js_1 = require("./slots.js");
/** Hands the outcome of a call to a callback, whose own errors are uncaught exceptions. */
function handOver(promise, callback) {
    promise.then((value) => process.nextTick(callback, null, value), (error) => process.nextTick(callback, error));
    return undefined;
}
/** Gives a call up when its signal is aborted. What was sent may be carried out all the same. */
function withSignal(promise, slot, signal) {
    const abort = () => (0, slots_js_1.abandon)(slot, signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const over = () => signal.removeEventListener('abort', abort);
    promise.then(over, over);
}
//# sourceMappingURL=ways.js.map
"use strict";
/** Makes the error for a failure that the engine reports. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.makeError = makeError;
const errors_js_1 = require("./errors.js");
const BY_KIND = {
    timeout: errors_js_1.Timeout,
    connection: errors_js_1.ConnectionFailed,
    no_node: errors_js_1.NodeUnavailable,
    circuit_open: errors_js_1.NodeUnavailable,
    no_namespace: errors_js_1.NamespaceNotFound,
    busy: errors_js_1.TooBusy,
    malformed: errors_js_1.ProtocolError,
    paused: errors_js_1.QueryPaused,
    closed: errors_js_1.ClientClosed,
};
const BY_CODE = new Map([
    [2, errors_js_1.RecordNotFound],
    [3, errors_js_1.GenerationMismatch],
    [5, errors_js_1.RecordExists],
    [6, errors_js_1.BinExists],
    [9, errors_js_1.Timeout],
    [12, errors_js_1.BinTypeError],
    [13, errors_js_1.RecordTooBig],
    [17, errors_js_1.BinNotFound],
    [20, errors_js_1.NamespaceNotFound],
    [23, errors_js_1.ElementNotFound],
    [24, errors_js_1.ElementExists],
    [26, errors_js_1.OpNotApplicable],
    [27, errors_js_1.FilteredOut],
    [100, errors_js_1.FunctionFailed],
    [201, errors_js_1.IndexNotFound],
]);
for (const kind of [errors_js_1.SpikewireError, errors_js_1.ServerError, ...Object.values(BY_KIND), ...BY_CODE.values()]) {
    Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true });
}
/** A call was refused: the codes are those of Node's own errors. */
function refusal(range, message) {
    const error = range ? new RangeError(message) : new TypeError(message);
    Error.captureStackTrace?.(error, makeError);
    return Object.assign(error, { code: range ? 'ERR_OUT_OF_RANGE' : 'ERR_INVALID_ARG_TYPE' });
}
/** The error for a failure that the engine reports, or for a call that was refused. */
function makeError(kind, code, message, node = null, attempts = 0, inDoubt = false) {
    if (kind === 'type' || kind === 'range')
        return refusal(kind === 'range', message);
    const found = kind === 'server' ? (BY_CODE.get(code) ?? errors_js_1.ServerError) : BY_KIND[kind];
    return new (found ?? errors_js_1.SpikewireError)(message, code, node, attempts, inDoubt);
}
//# sourceMappingURL=failures.js.map
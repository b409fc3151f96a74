"use strict";
/**
 * Every failure of a call, in one tree under `SpikewireError`.
 *
 * Bad arguments are rejected with `TypeError` or `RangeError` instead, before anything is sent.
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.ClientClosed = exports.QueryPaused = exports.ProtocolError = exports.TooBusy = exports.NodeUnavailable = exports.ConnectionFailed = exports.Timeout = exports.NamespaceNotFound = exports.IndexNotFound = exports.FunctionFailed = exports.FilteredOut = exports.RecordTooBig = exports.OpNotApplicable = exports.ElementNotFound = exports.ElementExists = exports.BinNotFound = exports.BinExists = exports.BinTypeError = exports.GenerationMismatch = exports.RecordExists = exports.RecordNotFound = exports.ServerError = exports.SpikewireError = void 0;
const key_js_1 = require("./key.js");
/** The root of Spikewire's errors. */
class SpikewireError extends Error {
    /** The server's result code; a negative number for failures on this side. */
    code;
    /** Name and address of the node; `null` when no node was involved. */
    node;
    /** How often the call was tried; 0 when nothing was sent. */
    attempts;
    /** Whether a write may have been applied nevertheless. */
    inDoubt;
    /** The key of the call; `null` when the failure does not concern a single record. */
    key = null;
    /** The engine makes these. */
    constructor(message, code = -1, node = null, attempts = 0, inDoubt = false) {
        super(describe(message, code, node, attempts, inDoubt));
        this.code = code;
        this.node = node;
        this.attempts = attempts;
        this.inDoubt = inDoubt;
    }
    /** @internal */
    ofRecord(space, key) {
        this.key = key_js_1.Key.known(space, key);
    }
}
exports.SpikewireError = SpikewireError;
function describe(message, code, node, attempts, inDoubt) {
    const circumstances = [`code ${code}`];
    if (node !== null)
        circumstances.push(`node ${node}`);
    if (attempts > 1)
        circumstances.push(`${attempts} attempts`);
    if (inDoubt)
        circumstances.push('the write may have been applied');
    return `${message} (${circumstances.join(', ')})`;
}
/** The server refused the command; `code` says why. */
class ServerError extends SpikewireError {
}
exports.ServerError = ServerError;
/** There is no such record. */
class RecordNotFound extends ServerError {
}
exports.RecordNotFound = RecordNotFound;
/** The record exists, and the call asked to create it. */
class RecordExists extends ServerError {
}
exports.RecordExists = RecordExists;
/** The record's generation is not the one the call expected: read it again and retry. */
class GenerationMismatch extends ServerError {
}
exports.GenerationMismatch = GenerationMismatch;
/** The operation does not fit the type of the bin. */
class BinTypeError extends ServerError {
}
exports.BinTypeError = BinTypeError;
/** The bin exists, and the operation asked to create it. */
class BinExists extends ServerError {
}
exports.BinExists = BinExists;
/** The bin does not exist, and the operation needs it. */
class BinNotFound extends ServerError {
}
exports.BinNotFound = BinNotFound;
/** The list has this value, or the map this key, and the operation asked for a new one. */
class ElementExists extends ServerError {
}
exports.ElementExists = ElementExists;
/** The map does not have this key, and the operation needs it. */
class ElementNotFound extends ServerError {
}
exports.ElementNotFound = ElementNotFound;
/**
 * The operation does not apply to the bin's value: an index out of range, a path that does not
 * exist, an expression without a value.
 */
class OpNotApplicable extends ServerError {
}
exports.OpNotApplicable = OpNotApplicable;
/** The record would exceed the namespace's max-record-size; the old record is unchanged. */
class RecordTooBig extends ServerError {
}
exports.RecordTooBig = RecordTooBig;
/** There is a record, and the call's `where` is not true for it. */
class FilteredOut extends ServerError {
}
exports.FilteredOut = FilteredOut;
/** A function that the cluster ran raised an error, or there is no such module or function. */
class FunctionFailed extends ServerError {
}
exports.FunctionFailed = FunctionFailed;
/** No secondary index fits the query: none is on that bin with that type, or of that name. */
class IndexNotFound extends ServerError {
}
exports.IndexNotFound = IndexNotFound;
/** The cluster has no such namespace. */
class NamespaceNotFound extends ServerError {
}
exports.NamespaceNotFound = NamespaceNotFound;
/** The total timeout of the call passed, or the server gave up after its own. */
class Timeout extends SpikewireError {
}
exports.Timeout = Timeout;
/** No connection could be made, or it broke during the call. */
class ConnectionFailed extends SpikewireError {
}
exports.ConnectionFailed = ConnectionFailed;
/** No node that could serve the record is reachable, or the node's circuit breaker is open. */
class NodeUnavailable extends SpikewireError {
}
exports.NodeUnavailable = NodeUnavailable;
/** A limit of this client is reached; the message says which one. */
class TooBusy extends SpikewireError {
}
exports.TooBusy = TooBusy;
/** The node sent bytes that do not belong to this protocol. */
class ProtocolError extends SpikewireError {
}
exports.ProtocolError = ProtocolError;
/**
 * The program took no record of a query for longer than its `socketTimeout`, and a node closed the
 * connection. `cursor` is where to resume.
 */
class QueryPaused extends SpikewireError {
    /** For the `resume` of a query with the same options. */
    cursor = Buffer.alloc(0);
}
exports.QueryPaused = QueryPaused;
/** The client or the query is closed. */
class ClientClosed extends SpikewireError {
}
exports.ClientClosed = ClientClosed;
//# sourceMappingURL=errors.js.map
"use strict";
/**
 * Operations for `operate`: several steps on one record, applied in order and atomically.
 *
 * ```ts
 * import { op } from 'spikewire'
 *
 * const record = await users.operate('alice', [op.add('visits', 1), op.get('visits')])
 * record.results // [null, 1]: one result per operation
 * ```
 *
 * This module has the operations on whole bins; `op.list`, `op.map`, `op.bit` and `op.hll` are
 * modules of their own. Each function checks and encodes its arguments at once, so an operation can
 * be kept and reused; what is wrong with an argument is thrown as a `TypeError` or `RangeError` that
 * names the bin.
 *
 * If several operations name one bin, `record.results` has the result of each of them, and
 * `record.bins` the last one that is not `null`.
 */
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.map = exports.list = exports.hll = exports.bit = exports.WILDCARD = exports.INFINITY = void 0;
exports.delete = remove;
exports.get = get;
exports.put = put;
exports.add = add;
exports.append = append;
exports.prepend = prepend;
exports.touch = touch;
exports.read = read;
exports.write = write;
const operation_js_1 = require("../operation.js");
var values_js_1 = require("../values.js");
Object.defineProperty(exports, "INFINITY", { enumerable: true, get: function () { return values_js_1.INFINITY; } });
Object.defineProperty(exports, "WILDCARD", { enumerable: true, get: function () { return values_js_1.WILDCARD; } });
exports.bit = __importStar(require("./bit.js"));
exports.hll = __importStar(require("./hll.js"));
exports.list = __importStar(require("./list.js"));
exports.map = __importStar(require("./map.js"));
/** Reads a bin, or every bin. Reading every bin cannot be mixed with other results. */
function get(bin) {
    return bin === undefined ? (0, operation_js_1.plain)('get') : (0, operation_js_1.plain)('get', bin);
}
/** Writes a bin; `null` removes it. */
function put(bin, value) {
    return (0, operation_js_1.plain)('put', bin, value);
}
/** Adds to a number; a missing bin counts as 0. Integers wrap at 64 bits on the server. */
function add(bin, value) {
    return (0, operation_js_1.plain)('add', bin, value);
}
/** Appends to text or bytes; a missing bin counts as empty. */
function append(bin, value) {
    return (0, operation_js_1.plain)('append', bin, value);
}
/** Prepends to text or bytes; a missing bin counts as empty. */
function prepend(bin, value) {
    return (0, operation_js_1.plain)('prepend', bin, value);
}
/** Renews the record's time to live; fails with `RecordNotFound` if the record is missing. */
function touch() {
    return (0, operation_js_1.plain)('touch');
}
/** Deletes the record; subsequent writes start from an empty one. */
function remove() {
    return (0, operation_js_1.plain)('delete');
}
/**
 * Reads the value of an expression, as if it were a bin of this name.
 *
 * @param expression - Made by `exp`, a text, or an array of a text and its parameters.
 */
function read(name, expression, options) {
    return (0, operation_js_1.computing)('read', name, expression, { noFail: false }, options);
}
/**
 * Writes the value of an expression into a bin.
 *
 * @param expression - Made by `exp`, a text, or an array of a text and its parameters.
 */
function write(bin, expression, options) {
    const known = { createOnly: false, updateOnly: false, allowDelete: false, noFail: false };
    return (0, operation_js_1.computing)('write', bin, expression, known, options);
}
//# sourceMappingURL=index.js.map
"use strict";
/**
 * Filter expressions, evaluated by the nodes on one record.
 *
 * ```ts
 * import { exp } from 'spikewire'
 *
 * const adults = exp.bin('age').ge(18)
 * const wanted = adults.and(exp.bin('country').eq('US'), exp.not(exp.bin('banned')))
 * await users.get('alice', { where: wanted })
 * ```
 *
 * An expression is checked when it is made, encoded once, and can be kept. The type of a bin
 * follows from its use (`exp.bin('age').gt(25)` asks for an integer); where nothing implies it, name
 * it: `exp.bin('a', 'int').eq(exp.bin('b'))`. In a record where a bin is missing or of another type
 * the comparison is neither true nor false, and such records do not match.
 *
 * The methods of an `Expression` compare, calculate and join. The same can be written as text, see
 * `exp.text`. `exp.list`, `exp.map`, `exp.bit` and `exp.hll` read what is inside lists, maps, bytes
 * and sketches.
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
exports.Expression = exports.map = exports.list = exports.hll = exports.bit = void 0;
exports.let = bind;
exports.var = variable;
exports.bin = bin;
exports.binType = binType;
exports.binExists = binExists;
exports.value = value;
exports.unknown = unknown;
exports.text = text;
exports.key = key;
exports.keyExists = keyExists;
exports.setName = setName;
exports.ttl = ttl;
exports.voidTime = voidTime;
exports.lastUpdate = lastUpdate;
exports.sinceUpdate = sinceUpdate;
exports.recordSize = recordSize;
exports.deviceSize = deviceSize;
exports.memorySize = memorySize;
exports.isTombstone = isTombstone;
exports.digestModulo = digestModulo;
exports.and = and;
exports.or = or;
exports.not = not;
exports.exclusive = exclusive;
exports.cond = cond;
exports.minimum = minimum;
exports.maximum = maximum;
exports.log = log;
exports.bitCount = bitCount;
exports.bitScan = bitScan;
exports.mapKeys = mapKeys;
exports.mapValues = mapValues;
exports.within = within;
const calls_js_1 = require("../calls.js");
const expression_js_1 = require("../expression.js");
Object.defineProperty(exports, "Expression", { enumerable: true, get: function () { return expression_js_1.Expression; } });
exports.bit = __importStar(require("./bit.js"));
exports.hll = __importStar(require("./hll.js"));
exports.list = __importStar(require("./list.js"));
exports.map = __importStar(require("./map.js"));
function bin(name, kind) {
    return (0, expression_js_1.made)('bin', name, kind);
}
/**
 * The particle type of a bin: 1 integer, 2 float, 3 string, 4 bytes, 17 boolean, 18 HyperLogLog,
 * 19 map, 20 list, 23 GeoJSON; 0 if it is missing.
 */
function binType(name) {
    return (0, expression_js_1.made)('binType', name);
}
/** Whether the record has this bin. */
function binExists(name) {
    return binType(name).ne(0);
}
/**
 * A constant. Operands that are not expressions become constants automatically; this is for where
 * a method is to be called on one.
 */
function value(value) {
    return (0, expression_js_1.made)('value', value);
}
/** A value that is neither true nor false, for a branch of `cond` that must not match. */
function unknown() {
    return (0, expression_js_1.made)('unknown');
}
/**
 * Parses `$.age > ?0 and $.country == 'US'`; `?0` stands for the first parameter. Errors show the
 * position.
 */
function text(text, ...parameters) {
    return (0, expression_js_1.made)('text', [text, ...parameters]);
}
/** The user key, if one of this type is stored with the record (`sendKey`). */
function key(kind) {
    return (0, expression_js_1.made)('key', kind);
}
/** Whether the user key is stored with the record. */
function keyExists() {
    return (0, expression_js_1.made)('meta', 'keyExists');
}
/** The name of the record's set. */
function setName() {
    return (0, expression_js_1.made)('meta', 'setName');
}
/** Seconds until the record expires; -1 for never. */
function ttl() {
    return (0, expression_js_1.made)('meta', 'ttl');
}
/** When the record expires, in ns since 1970; -1 for never. */
function voidTime() {
    return (0, expression_js_1.made)('meta', 'voidTime');
}
/** When the record was last written, in ns since 1970. */
function lastUpdate() {
    return (0, expression_js_1.made)('meta', 'lastUpdate');
}
/** Milliseconds since the record was last written. */
function sinceUpdate() {
    return (0, expression_js_1.made)('meta', 'sinceUpdate');
}
/** The size of the record in bytes. */
function recordSize() {
    return (0, expression_js_1.made)('meta', 'recordSize');
}
/** The size of the record on a device, in bytes. Newer servers prefer `recordSize`. */
function deviceSize() {
    return (0, expression_js_1.made)('meta', 'deviceSize');
}
/** The size of the record in memory, in bytes. Newer servers prefer `recordSize`. */
function memorySize() {
    return (0, expression_js_1.made)('meta', 'memorySize');
}
/** Whether the record is a tombstone. */
function isTombstone() {
    return (0, expression_js_1.made)('meta', 'isTombstone');
}
/** The last four bytes of the digest modulo `divisor`, to select a stable share of records. */
function digestModulo(divisor) {
    return (0, expression_js_1.made)('digestModulo', divisor);
}
/** Whether all are true. */
function and(...operands) {
    return (0, expression_js_1.made)('apply', 'and', operands);
}
/** Whether one is true, or several. */
function or(...operands) {
    return (0, expression_js_1.made)('apply', 'or', operands);
}
/** The opposite. */
function not(operand) {
    return (0, expression_js_1.made)('apply', 'not', [operand]);
}
/** Whether exactly one is true. */
function exclusive(...operands) {
    return (0, expression_js_1.made)('apply', 'exclusive', operands);
}
/** `cond(test, value, test, value, ..., default)`: the value after the first true test. */
function cond(...operands) {
    return (0, expression_js_1.made)('apply', 'when', operands);
}
/**
 * Computes values once and uses them in `scope` through `exp.var`. Later definitions see earlier
 * ones. In use: `exp.let({ x: exp.bin('a').add(1) }, exp.var('x').gt(5))`.
 */
function bind(definitions, scope) {
    return (0, expression_js_1.made)('let', Object.keys(definitions), Object.values(definitions), scope);
}
/** The value of a variable of `exp.let`. */
function variable(name) {
    return (0, expression_js_1.made)('var', name);
}
/** The smallest of numbers of one type. */
function minimum(...operands) {
    return (0, expression_js_1.made)('apply', 'min', operands);
}
/** The largest of numbers of one type. */
function maximum(...operands) {
    return (0, expression_js_1.made)('apply', 'max', operands);
}
/** The logarithm of a float. */
function log(number, base) {
    return (0, expression_js_1.made)('apply', 'log', [number, base]);
}
/** The number of bits of an integer that are set. */
function bitCount(number) {
    return (0, expression_js_1.made)('apply', 'countOneBits', [number]);
}
/** The position of the first bit equal to `bit`, from the most significant; -1 if none. */
function bitScan(number, bit, options) {
    const { fromRight } = (0, calls_js_1.taken)('exp', 'bit_scan', { fromRight: false }, options);
    return (0, expression_js_1.made)('apply', fromRight ? 'findBitRight' : 'findBitLeft', [number, bit]);
}
/** The keys of a map, as a list (servers from 8.1.1). */
function mapKeys(operand) {
    return (0, expression_js_1.made)('apply', 'mapKeys', [operand]);
}
/** The values of a map, as a list (servers from 8.1.1). */
function mapValues(operand) {
    return (0, expression_js_1.made)('apply', 'mapValues', [operand]);
}
/**
 * Whether a GeoJSON point lies in a GeoJSON region (`Polygon`, `MultiPolygon` or `AeroCircle`), in
 * either order.
 */
function within(point, region) {
    return (0, expression_js_1.made)('apply', 'geoCompare', [point, region]);
}
//# sourceMappingURL=index.js.map
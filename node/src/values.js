"use strict";
/** Values that JavaScript has no type of its own for. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.WILDCARD = exports.INFINITY = exports.Marker = exports.HyperLogLog = exports.GeoJSON = exports.Double = void 0;
const node_util_1 = require("node:util");
/**
 * A number that is stored as a float though it is whole: `new Double(3)`. Other whole numbers are
 * stored as integers. It counts as its number in arithmetic.
 */
class Double {
    value;
    constructor(value) {
        if (typeof value !== 'number')
            throw new TypeError(`a Double is a number, not ${typeof value}`);
        this.value = value;
    }
    valueOf() {
        return this.value;
    }
    toJSON() {
        return this.value;
    }
    toString() {
        return String(this.value);
    }
    [node_util_1.inspect.custom]() {
        return `Double(${this.value})`;
    }
}
exports.Double = Double;
/** A GeoJSON value: a point, a polygon or a circle. */
class GeoJSON {
    /** The JSON text. */
    text;
    /** @param value - the JSON text, or the object that it says */
    constructor(value) {
        if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
            throw new TypeError(`GeoJSON must be a string or an object, not ${typeof value}`);
        }
        this.text = typeof value === 'string' ? value : JSON.stringify(value);
    }
    /** A point. */
    static point(longitude, latitude) {
        return new GeoJSON({ type: 'Point', coordinates: [longitude, latitude] });
    }
    /** The object that the text says. */
    toJSON() {
        return JSON.parse(this.text);
    }
    toString() {
        return this.text;
    }
    [node_util_1.inspect.custom]() {
        return `GeoJSON(${this.text})`;
    }
}
exports.GeoJSON = GeoJSON;
/** A HyperLogLog sketch, as the operations of `op.hll` make it. */
class HyperLogLog {
    /** The sketch as the server stores it. */
    bytes;
    constructor(bytes) {
        if (!(bytes instanceof Uint8Array))
            throw new TypeError('a HyperLogLog is made of a Buffer');
        this.bytes = Buffer.from(bytes);
    }
    [node_util_1.inspect.custom]() {
        return `HyperLogLog(${this.bytes.length} bytes)`;
    }
}
exports.HyperLogLog = HyperLogLog;
/** A bound or a pattern for arguments of operations; not a value that can be stored. */
class Marker {
    /** @internal */
    kind;
    /** @internal */
    constructor(kind) {
        this.kind = kind;
    }
    [node_util_1.inspect.custom]() {
        return this.kind === 'infinity' ? 'INFINITY' : 'WILDCARD';
    }
}
exports.Marker = Marker;
/** Greater than every value, as the upper bound of a range. */
exports.INFINITY = new Marker('infinity');
/** Equal to every value, within lists that are compared. */
exports.WILDCARD = new Marker('wildcard');
//# sourceMappingURL=values.js.map
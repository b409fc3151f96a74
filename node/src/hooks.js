"use strict";
/** What the native part calls; set once, when the package is loaded. */
Object.defineProperty(exports, "__esModule", { value: true });
const node_util_1 = require("node:util");
const batch_js_1 = require("./batch.js");
const failures_js_1 = require("./failures.js");
const native_js_1 = require("./native.js");
const record_js_1 = require("./record.js");
const slots_js_1 = require("./slots.js");
const values_js_1 = require("./values.js");
/** Sorts of objects; `crates/spikewire-node/src/value/mod.rs` has the same numbers. */
const OTHER = 0;
const DOUBLE = 1;
const GEOJSON = 2;
const HLL = 3;
const MAP = 4;
const MARKER = 5;
function classify(value) {
    if (value instanceof values_js_1.Double)
        return DOUBLE;
    if (node_util_1.types.isMap(value))
        return MAP;
    if (value instanceof values_js_1.GeoJSON)
        return GEOJSON;
    if (value instanceof values_js_1.HyperLogLog)
        return HLL;
    if (value instanceof values_js_1.Marker)
        return MARKER;
    return OTHER;
}
function unwrap(value) {
    if (value instanceof values_js_1.Double)
        return value.value;
    if (value instanceof values_js_1.GeoJSON)
        return value.text;
    if (value instanceof values_js_1.HyperLogLog)
        return value.bytes;
    if (value instanceof values_js_1.Marker)
        return value.kind;
    return [...value].flat(1);
}
function wrap(sort, content) {
    switch (sort) {
        case DOUBLE:
            return new values_js_1.Double(content);
        case GEOJSON:
            return new values_js_1.GeoJSON(content);
        case HLL:
            return new values_js_1.HyperLogLog(content);
        case MAP: {
            const flat = content;
            const map = new Map();
            for (let at = 0; at < flat.length; at += 2)
                map.set(flat[at], flat[at + 1]);
            return map;
        }
        default: {
            const flat = content;
            const object = {};
            for (let at = 0; at < flat.length; at += 2)
                (0, record_js_1.define)(object, flat[at], flat[at + 1]);
            return object;
        }
    }
}
native_js_1.native.setup(slots_js_1.settle, slots_js_1.fail, slots_js_1.done, failures_js_1.makeError, record_js_1.makeFactory, record_js_1.makeRecord, batch_js_1.makeBatch, batch_js_1.makeRows, batch_js_1.failRow, classify, unwrap, wrap);
//# sourceMappingURL=hooks.js.map
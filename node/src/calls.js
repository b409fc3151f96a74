"use strict";
/** The options of functions that make operations, expressions and paths: taken, and shown again. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.taken = taken;
exports.what = what;
exports.shown = shown;
exports.camel = camel;
const node_util_1 = require("node:util");
/**
 * The options that a function was given, with the defaults of the others. Throws a `TypeError` that
 * names the function and the option that it does not know.
 */
function taken(of, kind, known, options) {
    if (options === undefined)
        return known;
    if (options === null || typeof options !== 'object' || Array.isArray(options)) {
        throw new TypeError(`${of}.${camel(kind)}: options must be an object, not ${what(options)}`);
    }
    const found = { ...known };
    for (const [option, value] of Object.entries(options)) {
        if (!Object.hasOwn(known, option)) {
            const all = Object.keys(known).join(', ') || 'none';
            const unknown = `unknown option ${JSON.stringify(option)}; the options are ${all}`;
            throw new TypeError(`${of}.${camel(kind)}: ${unknown}`);
        }
        if (value !== undefined)
            found[option] = value;
    }
    return found;
}
/** A value as an error message names it. */
function what(value) {
    if (value === null)
        return 'null';
    if (Array.isArray(value))
        return 'an array';
    return typeof value === 'object' ? 'an object' : typeof value;
}
/** The call that was made, in one line. */
function shown(given) {
    const end = given.values.findLastIndex((value) => value !== undefined) + 1;
    const parts = given.values.slice(0, end).map(literal);
    const options = Object.entries(given.options ?? {})
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => `${name}: ${literal(value)}`);
    if (options.length > 0)
        parts.push(`{ ${options.join(', ')} }`);
    return `${given.of}.${camel(given.kind)}(${parts.join(', ')})`;
}
function literal(value) {
    return (0, node_util_1.inspect)(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, compact: true });
}
/** A name of the table as TypeScript writes it. */
function camel(name) {
    return name.replace(/_$/, '').replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}
//# sourceMappingURL=calls.js.map
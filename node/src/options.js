"use strict";
/** Options of the verbs: types, and the refusal of names that a verb does not know. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.WRITE = exports.READ = exports.Newer = void 0;
exports.newer = newer;
exports.checked = checked;
const expression_js_1 = require("./expression.js");
/** A rule for `generation`: write only if this is greater than the record's own generation. */
class Newer {
    /** What the record's generation must be less than. */
    generation;
    constructor(generation) {
        this.generation = generation;
    }
}
exports.Newer = Newer;
/** A rule for `generation`: write only if this is greater than the record's own generation. */
function newer(generation) {
    return new Newer(generation);
}
exports.READ = ['where', 'readTouch', 'readMode', 'replica', 'timeout', 'signal'];
exports.WRITE = [
    ...['ttl', 'generation', 'exists', 'durable', 'sendKey'],
    ...['where', 'replica', 'timeout', 'signal'],
];
/** The options as the native part takes them. Throws for a name that `known` does not have. */
function checked(options, known) {
    if (options === undefined || options === null)
        return undefined;
    if (typeof options !== 'object') {
        throw new TypeError(`options must be an object, not ${typeof options}`);
    }
    let changed;
    for (const name in options) {
        if (!known.includes(name)) {
            throw new TypeError(`unknown option ${name}; there are: ${[...known].sort().join(', ')}`);
        }
        if (name === 'generation') {
            const value = options.generation;
            if (value instanceof Newer)
                changed = { ...(changed ?? options), generation: [value.generation] };
            else if (typeof value === 'object' && value !== null) {
                throw new TypeError('generation must be a whole number or newer(number), not an object');
            }
        }
        if (name === 'where') {
            const { where } = options;
            // A text and its parameters: the expression that they are.
            if (Array.isArray(where))
                changed = { ...(changed ?? options), where: (0, expression_js_1.made)('where', where) };
        }
    }
    return changed ?? options;
}
//# sourceMappingURL=options.js.map
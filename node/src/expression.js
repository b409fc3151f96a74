"use strict";
/** Expressions: what the nodes compute from one record, as a filter or as a value. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Expression = void 0;
exports.made = made;
exports.call = call;
const node_util_1 = require("node:util");
const calls_js_1 = require("./calls.js");
const native_js_1 = require("./native.js");
/**
 * An expression; made by the functions of `exp` and by the methods here. It is checked when it is
 * made: a `TypeError` says which types do not go together. It can be kept and used again.
 *
 * `K` says what it can be used as: an `Expression<'int'>` is an integer, an `Expression` without
 * a type takes the one that its use asks for.
 */
class Expression {
    /** What the native part made of it. */
    encoded;
    /** @internal */
    constructor(encoded) {
        this.encoded = encoded;
    }
    /** Reads the form that goes over the wire, as `toBytes` makes it. */
    static fromBytes(bytes) {
        return made('from', bytes);
    }
    /** Whether both are equal. */
    eq(other) {
        return made('join', '==', this, other);
    }
    /** Whether they are not equal. */
    ne(other) {
        return made('join', '!=', this, other);
    }
    /** Whether this is less. */
    lt(other) {
        return made('join', '<', this, other);
    }
    /** Whether this is less or equal. */
    le(other) {
        return made('join', '<=', this, other);
    }
    /** Whether this is greater. */
    gt(other) {
        return made('join', '>', this, other);
    }
    /** Whether this is greater or equal. */
    ge(other) {
        return made('join', '>=', this, other);
    }
    /** Whether this and the others are all true. */
    and(...others) {
        return chained('and', this, others);
    }
    /** Whether this is true, or one of the others. */
    or(...others) {
        return chained('or', this, others);
    }
    /** The opposite. */
    not() {
        return made('apply', 'not', [this]);
    }
    /** The sum. */
    add(other) {
        return made('join', '+', this, other);
    }
    /** The difference. */
    sub(other) {
        return made('join', '-', this, other);
    }
    /** The product. */
    mul(other) {
        return made('join', '*', this, other);
    }
    /** The quotient; integers divide toward zero. Nodes may fail on 0 and -1. */
    div(other) {
        return made('join', '/', this, other);
    }
    /** What is left of a division of integers, with the sign of this one. */
    mod(other) {
        return made('join', '%', this, other);
    }
    /** This float to the power of another. */
    pow(other) {
        return made('join', '**', this, other);
    }
    /** The logarithm of this float to a base. */
    log(base) {
        return made('join', 'log', this, base);
    }
    /** The number with the other sign. */
    neg() {
        return made('apply', '-', [this]);
    }
    /** The number without its sign. */
    abs() {
        return made('apply', 'abs', [this]);
    }
    /** The next whole float below. */
    floor() {
        return made('apply', 'floor', [this]);
    }
    /** The next whole float above. */
    ceil() {
        return made('apply', 'ceil', [this]);
    }
    /** The float cut toward zero. */
    toInt() {
        return made('apply', 'toInt', [this]);
    }
    /** The integer as a float. */
    toFloat() {
        return made('apply', 'toFloat', [this]);
    }
    /** The bits that are set in both integers. */
    bitAnd(other) {
        return made('join', '&', this, other);
    }
    /** The bits that are set in one of the integers, or in both. */
    bitOr(other) {
        return made('join', '|', this, other);
    }
    /** The bits that are set in one of the integers and not in the other. */
    bitXor(other) {
        return made('join', '^', this, other);
    }
    /** Every bit of the integer turned over. */
    bitNot() {
        return made('apply', '~', [this]);
    }
    /** The bits of the integer moved up. */
    shiftLeft(count) {
        return made('join', '<<', this, count);
    }
    /** The bits of the integer moved down, zeros from above: `>>>` of JavaScript. */
    shiftRight(count) {
        return made('join', '>>>', this, count);
    }
    /** The bits of the integer moved down, the sign from above: `>>` of JavaScript. */
    shiftSigned(count) {
        return made('join', '>>', this, count);
    }
    /** Whether a list holds this value. */
    isIn(list) {
        return made('apply', 'in', [this, list]);
    }
    /** Whether the string matches a POSIX pattern, an extended one by default. */
    matches(pattern, options) {
        const known = { ignoreCase: false, byLines: false, basic: false };
        const flags = Object.values((0, calls_js_1.taken)('exp', 'matches', known, options));
        return made('matches', this, pattern, ...flags);
    }
    /**
     * The type of its value; `undefined` while it is not known. `'nil'` is that of the constant
     * `null`.
     */
    get kind() {
        return native_js_1.native.expressionKind(this.encoded);
    }
    /** Whether the other is the same expression. (`eq` makes a comparison.) */
    sameAs(other) {
        return Buffer.compare(this.encoded, other.encoded) === 0;
    }
    /** The form that goes over the wire; all types must be known. */
    toBytes() {
        return native_js_1.native.expressionBytes(this.encoded);
    }
    /** As a text expression writes it. */
    toString() {
        return native_js_1.native.expressionText(this.encoded);
    }
    /** Keeps `expression > 5` from quietly comparing something else. */
    [Symbol.toPrimitive](hint) {
        if (hint === 'string')
            return this.toString();
        throw new TypeError('an expression has no value in JavaScript: compare with .gt(), .eq() and the like, add with ' +
            '.add(), join with .and(), .or() and .not()');
    }
    /** @internal */
    [node_util_1.inspect.custom]() {
        return `Expression(${this.toString()})`;
    }
}
exports.Expression = Expression;
/**
 * An expression that the native part makes.
 *
 * @internal
 */
function made(form, ...given) {
    return new Expression(native_js_1.native.expression(form, given));
}
/** An operator on what is there and some more; nothing more is what is there. */
function chained(operator, first, others) {
    return others.reduce((whole, other) => made('join', operator, whole, other), first);
}
/**
 * An operation on a list, a map, bits or a sketch inside an expression. `known` are its options
 *.
 *
 * @internal
 */
function call(family, kind, on, values, known = {}, options) {
    const found = (0, calls_js_1.taken)(`exp.${family}`, kind, known, options);
    const all = [...values];
    for (const name in found)
        if (name !== 'ctx' && name !== 'kind')
            all.push(found[name]);
    return made('call', family, kind, on, all, found['ctx'], found['kind']);
}
//# sourceMappingURL=expression.js.map
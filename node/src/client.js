"use strict";
/** The client: connecting, closing, and verbs on whole keys. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Client = void 0;
const connection_js_1 = require("./connection.js");
const dataset_js_1 = require("./dataset.js");
const key_js_1 = require("./key.js");
const many_js_1 = require("./many.js");
const native_js_1 = require("./native.js");
const slots_js_1 = require("./slots.js");
/** The options of the engine: as JavaScript spells them, and as the engine does. */
const ENGINE = new Map([
    'clusterName',
    'timeout',
    'socketTimeout',
    'maxRetries',
    'sleepBetweenRetries',
    'retryInDoubt',
    'replica',
    'racks',
    'readMode',
    'sendKey',
    'connectTimeout',
    'tendInterval',
    'idleTimeout',
    'connectionsPerNode',
    'pipelineDepth',
    'queueLimit',
    'maxErrorRate',
    'errorRateWindow',
    'ipMap',
    'useServicesAlternate',
].map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]));
/** Options of this package, and what they can be; the first is the default. */
const OWN = {
    integers: ['auto', 'bigint'],
    doubles: ['number', 'double'],
    maps: ['auto', 'map'],
};
/**
 * A connected client. Its connections are driven by the event loop of the thread that it was made
 * on: each worker thread connects a client of its own.
 */
class Client extends many_js_1.ManyVerbs {
    /**
     * Finds the cluster.
     *
     * @param seeds - `'host:port'`, several separated by commas, or an array of them
     * @throws ConnectionFailed, Timeout when no seed answers; TypeError, RangeError for bad options
     */
    static connect(seeds, options = {}) {
        const opened = new Promise(slots_js_1.executor);
        const slot = (0, slots_js_1.openSlot)();
        try {
            const names = [];
            const values = [];
            const own = { integers: false, doubles: false, maps: false };
            for (const [name, value] of Object.entries(options)) {
                if (value === undefined)
                    continue;
                const engine = ENGINE.get(name);
                if (engine !== undefined) {
                    names.push(engine);
                    values.push(value);
                }
                else {
                    own[name] = choice(name, value);
                }
            }
            native_js_1.native.connect(slot, seedText(seeds), names, values, own['integers'], own['doubles'], own['maps']);
        }
        catch (error) {
            (0, slots_js_1.refuse)(slot, error);
        }
        return opened.then((handle) => new Client(new connection_js_1.Connection(handle)));
    }
    /** A namespace and a set of it. */
    dataset(namespace, set) {
        return new dataset_js_1.Dataset(this.connection, namespace, set);
    }
    /** Whether it is not closed. */
    get isOpen() {
        return this.connection.isOpen;
    }
    /** The nodes of the cluster as they are known now. */
    get nodes() {
        this.connection.check();
        const flat = native_js_1.native.nodes(this.connection.handle);
        const nodes = [];
        for (let at = 0; at < flat.length; at += 2) {
            nodes.push({ name: flat[at], address: flat[at + 1] });
        }
        return nodes;
    }
    /** Closes every connection; calls in flight fail with `ClientClosed`. Closing twice is fine. */
    close() {
        return this.connection.close();
    }
    /** For `await using client = await Client.connect(...)`. */
    [Symbol.asyncDispose]() {
        return this.close();
    }
    /** @internal */
    spaceOf(key) {
        return whole(key).space;
    }
    /** @internal */
    wireOf(key) {
        return key.wire;
    }
}
exports.Client = Client;
function whole(key) {
    if (key instanceof key_js_1.Key)
        return key;
    throw new TypeError(`a client's verbs take a Key, not ${key === null ? 'null' : typeof key}`);
}
function choice(name, value) {
    const words = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
    if (words === undefined) {
        const known = [...ENGINE.keys(), ...Object.keys(OWN)].sort().join(', ');
        throw new TypeError(`unknown client option ${name}; there are: ${known}`);
    }
    if (value !== words[0] && value !== words[1]) {
        throw new RangeError(`${name} must be '${words[0]}' or '${words[1]}', got ${String(value)}`);
    }
    return value === words[1];
}
function seedText(seeds) {
    if (typeof seeds === 'string')
        return seeds;
    if (Array.isArray(seeds) && seeds.every((seed) => typeof seed === 'string')) {
        return seeds.join(',');
    }
    throw new TypeError("seeds must be a string such as '127.0.0.1:3000' or an array of them");
}
//# sourceMappingURL=client.js.map
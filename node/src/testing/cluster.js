"use strict";
/** The embedded cluster as a JavaScript object. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Cluster = exports.ClusterError = void 0;
const native_js_1 = require("../native.js");
const slots_js_1 = require("../slots.js");
const stats_js_1 = require("./stats.js");
/** The embedded cluster could not do what it was asked for: a port is in use, it was stopped. */
class ClusterError extends Error {
    /** The system's name for the failure, such as `'EADDRINUSE'`, where it has one. */
    code;
    constructor(message, code) {
        super(message);
        this.code = code;
    }
}
exports.ClusterError = ClusterError;
Object.defineProperty(ClusterError.prototype, 'name', { value: 'ClusterError', configurable: true });
/**
 * An embedded cluster: real nodes in this process, no server to install.
 *
 * Nodes own partitions as a real cluster's do. A killed node loses its memory; with two copies of
 * every record no acknowledged write is lost when one node dies. Nodes are counted from 0.
 *
 * It runs on threads of its own until `close()`, or until the thread of JavaScript that started it
 * ends; it does not keep the program alive. Any thread and any process can connect to it. What it is
 * told to do is done in the order of the calls.
 *
 * Its methods throw `RangeError` for a node that does not exist, `ClusterError` after `close()`.
 */
class Cluster {
    /** How many nodes the cluster was started with. */
    nodes;
    /** `host:port` of every node, dead ones included. */
    addresses;
    #names;
    #handle;
    #latest = Promise.resolve();
    #closing;
    constructor(handle, addresses, names) {
        this.#handle = handle;
        this.nodes = addresses.length;
        this.addresses = Object.freeze(addresses);
        this.#names = names;
    }
    /**
     * Starts a cluster, which takes connections when the promise is resolved.
     *
     * @throws ClusterError when a port is in use; TypeError, RangeError for invalid options
     */
    static async start(options = {}) {
        const made = await call((slot) => native_js_1.native.clusterStart(slot, options));
        return new Cluster(...made);
    }
    /** The addresses of all nodes as a comma list, as clients take them. */
    get seeds() {
        return this.addresses.join(',');
    }
    /** Kills a node: its connections are reset, its port is closed, its records are lost. */
    kill(node) {
        return this.#tell(node, (slot) => native_js_1.native.clusterKill(this.#handle, slot, node));
    }
    /** Restarts a dead node: same port, empty; its partitions are copied to it. */
    restart(node) {
        return this.#tell(node, (slot) => native_js_1.native.clusterRestart(this.#handle, slot, node));
    }
    /** Whether a node is alive. */
    isAlive(node) {
        this.#check(node);
        return native_js_1.native.clusterAlive(this.#handle, node);
    }
    /** The node's id as the protocol shows it. */
    nodeName(node) {
        this.#check(node);
        return this.#names[node];
    }
    /**
     * Waits until every partition has all its copies.
     *
     * @param timeout - milliseconds
     * @returns whether that was so in time
     */
    async waitSettled(timeout = 30_000) {
        if (typeof timeout !== 'number') {
            throw new TypeError(`timeout must be milliseconds as a number, not ${typeof timeout}`);
        }
        if (!(timeout >= 0))
            throw new RangeError(`timeout must not be negative, got ${timeout}`);
        await this.#latest;
        const ends = performance.now() + timeout;
        for (;;) {
            this.#check(0);
            if (native_js_1.native.clusterSettled(this.#handle))
                return true;
            if (performance.now() >= ends)
                return false;
            await new Promise((resolve) => setTimeout(resolve, POLL));
        }
    }
    /** Makes a node misbehave from the next request on; replaces earlier faults. */
    inject(node, faults) {
        // Read now, as what the caller does with the object later is of no concern.
        const copy = typeof faults === 'object' && faults !== null ? { ...faults } : faults;
        return this.#tell(node, (slot) => native_js_1.native.clusterInject(this.#handle, slot, node, copy));
    }
    /** Ends the faults of a node. */
    clearFaults(node) {
        return this.#tell(node, (slot) => native_js_1.native.clusterClearFaults(this.#handle, slot, node));
    }
    /** Deletes all records of a set, or of a whole namespace. */
    truncate(namespace = 'test', set) {
        return this.#tell(0, (slot) => native_js_1.native.clusterTruncate(this.#handle, slot, namespace, set));
    }
    /** Counters and sizes of a node. */
    stats(node) {
        this.#check(node);
        return (0, stats_js_1.nodeStats)(native_js_1.native.clusterStats(this.#handle, node));
    }
    /** Stops every node. Closing again waits for the same end. */
    close() {
        this.#closing ??= this.#latest.then(() => call((slot) => native_js_1.native.clusterStop(this.#handle, slot)));
        return this.#closing;
    }
    /** Throws for a node that there is not, and when the cluster was stopped. */
    #check(node) {
        if (this.#closing !== undefined)
            throw new ClusterError('the embedded cluster was stopped');
        if (typeof node !== 'number') {
            throw new TypeError(`node must be a number from 0 to ${this.nodes - 1}, not ${typeof node}`);
        }
        if (!Number.isInteger(node) || node < 0 || node >= this.nodes) {
            throw new RangeError(`node must be from 0 to ${this.nodes - 1}, got ${node}`);
        }
    }
    /** Has something done after everything before. */
    async #tell(node, begin) {
        this.#check(node);
        const done = this.#latest.then(() => call(begin));
        this.#latest = done.catch(() => undefined);
        await done;
    }
}
exports.Cluster = Cluster;
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose');
Object.defineProperty(Cluster.prototype, asyncDispose, {
    value() {
        return this.close();
    },
});
/** Milliseconds between two looks at how far a migration is. */
const POLL = 5;
/** Begins something that settles its slot with a value, or with a code and a message. */
async function call(begin) {
    const promise = new Promise(slots_js_1.executor);
    const slot = (0, slots_js_1.openSlot)();
    try {
        begin(slot);
    }
    catch (error) {
        (0, slots_js_1.refuse)(slot, error);
    }
    const value = await promise;
    if (Array.isArray(value) && typeof value[0] === 'string') {
        const [code, message] = value;
        throw new ClusterError(message, code === '' ? undefined : code);
    }
    return value;
}
//# sourceMappingURL=cluster.js.map
"use strict";
/** A client's connection to its cluster, which its datasets share. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Connection = void 0;
const errors_js_1 = require("./errors.js");
const native_js_1 = require("./native.js");
const slots_js_1 = require("./slots.js");
/** Closes what no program can close any more. */
const forgotten = new FinalizationRegistry((handle) => {
    process.emitWarning('a Spikewire client was not closed: call close() or use `await using`');
    void new Promise(slots_js_1.executor);
    native_js_1.native.close(handle, (0, slots_js_1.openSlot)());
});
/** A client's connection to its cluster. */
class Connection {
    /** @internal The number of the client; one that no client has once it is closed. */
    handle;
    #closing;
    constructor(handle) {
        this.handle = handle;
        forgotten.register(this, handle, this);
    }
    /** Whether commands can be sent. */
    get isOpen() {
        return this.#closing === undefined;
    }
    /** Throws when it is closed. */
    check() {
        if (!this.isOpen)
            throw new errors_js_1.ClientClosed('the client is closed', -5);
    }
    /** Closes it; closing again waits for the same end. */
    close() {
        if (this.#closing === undefined) {
            const closed = new Promise(slots_js_1.executor);
            const slot = (0, slots_js_1.openSlot)();
            const handle = this.handle;
            this.#closing = closed;
            this.handle = CLOSED;
            forgotten.unregister(this);
            native_js_1.native.close(handle, slot);
        }
        return this.#closing;
    }
}
exports.Connection = Connection;
/** A number that no client has. */
const CLOSED = 0xffff_ffff;
//# sourceMappingURL=connection.js.map
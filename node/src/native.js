"use strict";
/** The native part: what `crates/spikewire-node` exports. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.native = void 0;
const loading_js_1 = require("./loading.js");
/** The native part of this copy of the package. */
exports.native = (0, loading_js_1.load)();
//# sourceMappingURL=native.js.map
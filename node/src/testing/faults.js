"use strict";
/** How a node of an embedded cluster misbehaves. */
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=faults.js.map
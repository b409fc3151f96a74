"use strict";
/** What operations take. */
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=types.js.map
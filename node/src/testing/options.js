"use strict";
/** What an embedded cluster is started with. */
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=options.js.map
"use strict";
/** Spikewire: an Aerospike-protocol client on Node's own event loop. */
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.WILDCARD = exports.INFINITY = exports.HyperLogLog = exports.GeoJSON = exports.Double = exports.Record = exports.newer = exports.Newer = exports.Operation = exports.op = exports.Key = exports.Expression = exports.exp = exports.Dataset = exports.ctx = exports.Client = exports.Batch = void 0;
require("./hooks.js");
var batch_js_1 = require("./batch.js");
Object.defineProperty(exports, "Batch", { enumerable: true, get: function () { return batch_js_1.Batch; } });
var client_js_1 = require("./client.js");
Object.defineProperty(exports, "Client", { enumerable: true, get: function () { return client_js_1.Client; } });
exports.ctx = __importStar(require("./ctx.js"));
var dataset_js_1 = require("./dataset.js");
Object.defineProperty(exports, "Dataset", { enumerable: true, get: function () { return dataset_js_1.Dataset; } });
__exportStar(require("./errors.js"), exports);
exports.exp = __importStar(require("./exp/index.js"));
var expression_js_1 = require("./expression.js");
Object.defineProperty(exports, "Expression", { enumerable: true, get: function () { return expression_js_1.Expression; } });
var key_js_1 = require("./key.js");
Object.defineProperty(exports, "Key", { enumerable: true, get: function () { return key_js_1.Key; } });
exports.op = __importStar(require("./op/index.js"));
var operation_js_1 = require("./operation.js");
Object.defineProperty(exports, "Operation", { enumerable: true, get: function () { return operation_js_1.Operation; } });
var options_js_1 = require("./options.js");
Object.defineProperty(exports, "Newer", { enumerable: true, get: function () { return options_js_1.Newer; } });
Object.defineProperty(exports, "newer", { enumerable: true, get: function () { return options_js_1.newer; } });
var record_js_1 = require("./record.js");
Object.defineProperty(exports, "Record", { enumerable: true, get: function () { return record_js_1.Record; } });
var values_js_1 = require("./values.js");
Object.defineProperty(exports, "Double", { enumerable: true, get: function () { return values_js_1.Double; } });
Object.defineProperty(exports, "GeoJSON", { enumerable: true, get: function () { return values_js_1.GeoJSON; } });
Object.defineProperty(exports, "HyperLogLog", { enumerable: true, get: function () { return values_js_1.HyperLogLog; } });
Object.defineProperty(exports, "INFINITY", { enumerable: true, get: function () { return values_js_1.INFINITY; } });
Object.defineProperty(exports, "WILDCARD", { enumerable: true, get: function () { return values_js_1.WILDCARD; } });
//# sourceMappingURL=index.js.map
"use strict";
/**
 * Tests without a server: the embedded cluster.
 *
 * ```ts
 * import { Client } from 'spikewire'
 * import { Cluster } from 'spikewire/testing'
 *
 * const cluster = await Cluster.start({ nodes: 3 })
 * const client = await Client.connect(cluster.seeds)
 * ```
 */
Object.defineProperty(exports, "__esModule", { value: true });
exports.ClusterError = exports.Cluster = void 0;
require("./hooks.js");
var cluster_js_1 = require("./testing/cluster.js");
Object.defineProperty(exports, "Cluster", { enumerable: true, get: function () { return cluster_js_1.Cluster; } });
Object.defineProperty(exports, "ClusterError", { enumerable: true, get: function () { return cluster_js_1.ClusterError; } });
//# sourceMappingURL=testing.js.map
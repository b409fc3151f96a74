"use strict";
/** What a node of an embedded cluster has done and holds. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.nodeStats = nodeStats;
/** The numbers of the native part, which come in this order. */
function nodeStats(numbers) {
    let at = 0;
    const next = () => numbers[at++];
    return {
        alive: next() === 1,
        connections: next(),
        connectionsOpened: next(),
        objects: next(),
        masterObjects: next(),
        bytes: next(),
        masterPartitions: next(),
        replicaPartitions: next(),
        requests: next(),
        reads: next(),
        writes: next(),
        notFound: next(),
        errors: next(),
        infos: next(),
    };
}
//# sourceMappingURL=stats.js.map
/** Spikewire: an Aerospike-protocol client on Node's own event loop. */

export type { Native } from './native.js'

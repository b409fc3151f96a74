/**
 * The API of npm `aerospike` on top of Spikewire: replace `require('aerospike')` by
 * `require('spikewire/compat/aerospike')`.
 */

import * as aerospike from './module.js'

export * from './module.js'
// For `import aerospike from 'spikewire/compat/aerospike'`.
export default aerospike

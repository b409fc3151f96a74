/**
 * The API of npm `aerospike` on top of Spikewire: replace `require('aerospike')` by
 * `require('spikewire/compat/aerospike')`.
 */

import '../../aerospike/hooks.js'

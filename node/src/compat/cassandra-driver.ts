/** Drop-in for npm `cassandra-driver`: `require('spikewire/compat/cassandra-driver')`. */

import '../cql.js'

export * from './cassandra-driver/index.js'

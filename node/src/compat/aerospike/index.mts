// One implementation for both module systems, so that a program that mixes them has one set of
// classes and one native part.

import * as aerospike from './module.js'

export * from './module.js'
export default aerospike

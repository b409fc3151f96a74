// One implementation for both module systems, as for the package's own modules.
import * as driver from './cassandra-driver.js'

export * from './cassandra-driver.js'
export default driver

/** A store for Keyv, which keeps entries with a time to live. */

import './aerospike/hooks.js'

export {
  KeyvSpikewire,
  type KeyvSpikewireEntry,
  type KeyvSpikewireOptions,
} from './stores/keyv.js'

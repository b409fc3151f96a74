/** A store for the sessions of express-session, which has to be installed. */

import './aerospike/hooks.js'

export {
  type SessionCallback,
  type SessionSerializer,
  SpikewireStore,
  type SpikewireStoreOptions,
} from './stores/express-session.js'

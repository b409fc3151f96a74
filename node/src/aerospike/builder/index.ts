/** The chained builder: what the steps of `client.session()` are and return. */

export type { SomeKeys, StepKeys } from './keys.js'
export type { TableOptions } from './read.js'
export { type Missing, type OnError, Result, Results, type Strategy } from './results.js'
export { Scan } from './scan.js'
export { type BeginPlain, type BeginWrite, Builder } from './session.js'
export type { RetryPauses } from './step.js'
export {
  type ChainVerbs,
  type DeleteMany,
  type DeleteOne,
  DeleteStep,
  type ExistsMany,
  type ExistsOne,
  ExistsStep,
  type ReadMany,
  type ReadOne,
  ReadStep,
  type TouchMany,
  type TouchOne,
  TouchStep,
  type WriteMany,
  type WriteOne,
  WriteStep,
} from './steps.js'
export type { GetStreamOptions, Stream, StreamOptions } from './streams.js'

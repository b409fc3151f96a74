/** Statistics, events, logs and Prometheus metrics of clients and sessions. */

export type { CommandMessage } from './bridge/channels.js'
export { Collector, type MetricsRegistry } from './metrics/collector.js'
export { CONTENT_TYPE, type ExportOptions, prometheus } from './metrics/exposition.js'
export {
  MetricsServer,
  type MetricsServerOptions,
  type RequestListener,
  requestListener,
  startMetricsServer,
} from './metrics/server.js'
export { type Clients, type HasStats, NoClientOpen } from './metrics/sources.js'
export { type EnableOptions, type LogSlowOptions, Metrics } from './statistics/control.js'
export type {
  BreakerClosed,
  BreakerOpened,
  Event,
  EventListener,
  EventsLost,
  MapChanged,
  NodeAdded,
  NodeDown,
  NodeEvent,
  NodeRemoved,
  NodeUp,
  SchemaChanged,
  SlowCommand,
} from './statistics/events.js'
export type { LogFunction, Logger, LogLevel } from './statistics/log.js'
export {
  BOUNDS,
  type CommandLabels,
  CommandStats,
  type HotKey,
  type NearCacheStats,
  type NodeStats,
  StageStats,
  Stats,
} from './statistics/stats.js'

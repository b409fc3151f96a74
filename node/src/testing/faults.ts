/** How a node of an embedded cluster misbehaves. */

/** How a node misbehaves. Shares are from 0 to 1 and drawn per request; times are milliseconds. */
export interface Faults {
  /** Every reply is held for this long; order is kept. */
  delay?: number | undefined
  /** The end of a scan or query is sent this long after its last record, in its own packet. */
  lateEnd?: number | undefined
  /** Share of requests that are lost before they are run; their connections stay silent. */
  drop?: number | undefined
  /** Share of requests that are run but whose reply is lost; their connections stay silent. */
  dropReply?: number | undefined
  /** Share of replies of which half is sent before the connection is closed. */
  cut?: number | undefined
  /** Share of requests that are answered with `code` instead of being run. */
  error?: number | undefined
  /** The result code for `error`. Default: 18, device overload. */
  code?: number | undefined
  /** New connections are served, accepted and closed at once, or not accepted at all. */
  refuse?: 'never' | 'close' | 'port' | undefined
  /** Replies are sent in pieces of so many bytes, with so many milliseconds between them. */
  drip?: readonly [bytes: number, every: number] | undefined
  /** Whether info requests are affected too. Default: false: clients see a healthy cluster. */
  info?: boolean | undefined
  /** The seed of the random draws: the same seed and requests give the same faults. Default: 0. */
  seed?: number | undefined
}

/** Faults of a node of an embedded cluster. */

/**
 * The faults of a node. Shares are from 0 to 1 and drawn per request; times are in milliseconds.
 */
export interface Faults {
  /** Every reply is delayed by this long; their order is kept. */
  delay?: number | undefined
  /** The end of a scan or query is sent this long after its last record, in a separate packet. */
  lateEnd?: number | undefined
  /** Share of requests that are lost before they are executed; their connections stay silent. */
  drop?: number | undefined
  /** Share of requests that are executed but whose reply is lost; their connections stay silent. */
  dropReply?: number | undefined
  /** Share of replies that are cut in half, after which the connection is closed. */
  cut?: number | undefined
  /** Share of replies of which half is sent, and nothing more on their connections. */
  stall?: number | undefined
  /**
   * Each connection gets this many replies, and none afterwards. With 0, new connections are accepted
   * and never answered.
   */
  muteAfter?: number | undefined
  /** Share of requests that are answered with `code` instead of being executed. */
  error?: number | undefined
  /** The result code for `error`. Default: 18, device overload. */
  code?: number | undefined
  /** New connections are served, accepted and closed immediately, or not accepted. */
  refuse?: 'never' | 'close' | 'port' | undefined
  /** Replies are sent in pieces of this many bytes, with this many milliseconds between them. */
  drip?: readonly [bytes: number, every: number] | undefined
  /**
   * Whether info requests are affected, too. Default: false, so that clients see a healthy cluster.
   */
  info?: boolean | undefined
  /** The seed of the random draws: the same seed and requests give the same faults. Default: 0. */
  seed?: number | undefined
  /** How long the node works on a request, one after the other: a node's capacity. */
  serviceTime?: number | undefined
}

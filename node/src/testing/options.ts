/** Options of the embedded cluster. */

/** Options of a namespace. Times to live are in seconds. */
export interface NamespaceOptions {
  /** The number of copies of every record. Default: 2. */
  replicationFactor?: number | undefined
  /**
   * The time to live of records written without one, in seconds; 0: they never expire. Default: 0.
   */
  defaultTtl?: number | undefined
  /** Seconds between removals of expired records; 0: writes with a TTL are rejected. Default: 1. */
  nsupPeriod?: number | undefined
  /** The maximum size of a stored record in bytes. Default: 1,048,576. */
  maxRecordSize?: number | undefined
  /** Sets with an index of their records, so that scanning them visits no others. Default: `[]`. */
  indexedSets?: readonly string[] | undefined
  /**
   * Whether it is strongly consistent, which transactions need; only with the edition
   * `'enterprise'`. Default: `false`.
   */
  strongConsistency?: boolean | undefined
  /**
   * Whether records of a strongly consistent namespace may be deleted without durability, as with
   * servers configured so. Default: `false`.
   */
  strongConsistencyAllowExpunge?: boolean | undefined
}

/** TLS options of an embedded cluster. */
export interface TlsOptions {
  /** The name in the certificate of all nodes. Default: `'spikewire'`. */
  name?: string | undefined
  /** Whether clients must present a certificate. Default: `false`. */
  clientCertificates?: boolean | undefined
}

/** Paths of the PEM files that clients need; they are deleted with the cluster. */
export interface Certificates {
  /** The certificate authority to trust, which signed the nodes' certificates. */
  readonly ca: string
  /** A certificate for a client, with the common name `client`. */
  readonly certificate: string
  /** Its private key, PKCS #8 without a password. */
  readonly key: string
}

/** A user of an embedded cluster. */
export interface UserOptions {
  /** The password to log in with. */
  password: string
  /** Names of roles, such as `'read-write'`. Default: all permissions. */
  roles?: readonly string[] | undefined
  /**
   * Whether the user is managed externally and logs in with a clear-text password. Default:
   * `false`.
   */
  external?: boolean | undefined
}

/**
 * Options of an embedded cluster. Options of a namespace apply to all namespaces that do not set
 * them.
 */
export interface ClusterOptions extends NamespaceOptions {
  /** The number of nodes, from 1 to 128. Default: 1. */
  nodes?: number | undefined
  /** The port of the first node, followed by the others; 0: free ports. Default: 0. */
  port?: number | undefined
  /** The IP address to listen on. Default: `'127.0.0.1'`. */
  bind?: string | undefined
  /** Namespaces, the same on every node: names, or names and options. Default: `['test']`. */
  namespaces?: readonly string[] | { readonly [name: string]: NamespaceOptions } | undefined
  /** The name of the cluster. Default: `'spikewire'`. */
  clusterName?: string | undefined
  /**
   * Threads that serve connections, for all nodes together; each has a second thread for long
   * replies. Default: 1.
   */
  threads?: number | undefined
  /**
   * The server version to report, whose features the nodes have: one, such as `'8.2'`, or one for
   * each node, separated by commas. Default: `'8.1.2.0'`.
   */
  build?: string | undefined
  /**
   * The edition of the server: `'enterprise'` has durable deletes, strongly consistent namespaces,
   * transactions and compression. Default: `'community'`.
   */
  edition?: 'community' | 'enterprise' | undefined
  /** The rack of each node. Default: no racks. */
  racks?: readonly number[] | undefined
  /**
   * A pause after each migrated partition, in milliseconds, to make migrations last. Default: 0.
   */
  migrationPause?: number | undefined
  /**
   * How long a node of 8.2 or later that is started again accepts connections and answers nothing, in
   * milliseconds, as servers do until their indexes, modules and users are in sync. Default: 50.
   */
  syncTime?: number | undefined
  /** The CPU time limit of a call of a user-defined function, in milliseconds. Default: 1,000. */
  udfTime?: number | undefined
  /** Accept only TLS, with certificates created for the cluster. Default: `false`. */
  tls?: boolean | TlsOptions | undefined
  /** Users by name: a password, or options. Clients must then log in. Default: no login. */
  users?: { readonly [name: string]: string | UserOptions } | undefined
  /** How long a login is valid for opening connections, in seconds. Default: 86,400, a day. */
  sessionTtl?: number | undefined
  /** Whether roles may have quotas, which servers must be configured for. Default: `false`. */
  quotas?: boolean | undefined
}

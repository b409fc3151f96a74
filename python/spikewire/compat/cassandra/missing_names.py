"""Public names of cassandra-driver that the drop-in does not have, by module or class, each group
with what to use instead."""

from __future__ import annotations

__all__ = ["MISSING_NAMES"]

_INTERNAL = "it is internal to cassandra-driver; the engine handles this itself"
_DSE = "it is a feature of DataStax Enterprise, not of Cassandra"
_LOGIN = "use PlainTextAuthProvider, SaslAuthProvider, or an AuthProvider of your own"
_POOLS = "the engine manages its connections itself"
_CUSTOM = "the engine decides this itself and would never call it"

#: Module or class, what to use instead, the names.
MISSING_NAMES: tuple[tuple[str, str, str], ...] = (
    (
        "auth",
        _LOGIN,
        (
            "BaseDSEAuthenticator DSEGSSAPIAuthProvider DSEPlainTextAuthProvider "
            "GSSAPIAuthenticator SASLClient "
            "TransitionalModePlainTextAuthProvider TransitionalModePlainTextAuthenticator"
        ),
    ),
    (
        "cluster",
        _DSE,
        (
            "ContinuousPagingOptions EXEC_PROFILE_GRAPH_ANALYTICS_DEFAULT "
            "EXEC_PROFILE_GRAPH_DEFAULT EXEC_PROFILE_GRAPH_SYSTEM_DEFAULT "
            "GraphAnalyticsExecutionProfile GraphExecutionProfile"
        ),
    ),
    (
        "cluster",
        _POOLS,
        (
            "DEFAULT_MAX_CONNECTIONS_PER_LOCAL_HOST "
            "DEFAULT_MAX_CONNECTIONS_PER_REMOTE_HOST DEFAULT_MAX_REQUESTS "
            "DEFAULT_MIN_CONNECTIONS_PER_LOCAL_HOST DEFAULT_MIN_CONNECTIONS_PER_REMOTE_HOST "
            "DEFAULT_MIN_REQUESTS EventletConnection TwistedConnection conn_fns"
        ),
    ),
    (
        "Cluster",
        _POOLS,
        (
            "connect_to_remote_hosts connection_factory "
            "get_connection_holders get_core_connections_per_host get_max_connections_per_host "
            "get_max_requests_per_connection get_min_requests_per_connection "
            "set_core_connections_per_host set_max_connections_per_host "
            "set_max_requests_per_connection set_min_requests_per_connection"
        ),
    ),
    (
        "Cluster",
        _INTERNAL,
        (
            "add_host add_prepared executor listeners on_add on_down on_remove on_up "
            "protocol_downgrade remove_host scheduler signal_connection_failure"
        ),
    ),
    ("Cluster", "use the server's own metrics", "metrics"),
    (
        "Session",
        _POOLS,
        "add_or_renew_pool get_pools on_down on_remove remove_pool submit update_created_pools",
    ),
    ("ResponseFuture", _INTERNAL, "attempted_hosts request_encoded_size send_request"),
    ("ResultSet", _DSE, "cancel_continuous_paging"),
    ("ProfileManager", _CUSTOM, "check_supported distance on_* populate"),
    ("concurrent", "use execute_concurrent_async", "ConcurrentExecutor*"),
    (
        "connection",
        _POOLS,
        (
            "ConnectionHeartbeat ContinuousPagingSession ContinuousPagingState "
            "CrcMismatchException DEFAULT_CQL_VERSION DRIVER_NAME DRIVER_VERSION "
            "DefaultEndPointFactory EndPointFactory HEADER_* HeartbeatFuture NONBLOCKING "
            "PROTOCOL_VERSION_MASK ResponseWaiter SniEndPoint SniEndPointFactory Timer "
            "TimerManager UnixSocketEndPoint defunct_on_error int32_pack "
            "locally_supported_compressions segment_codec_*"
        ),
    ),
    (
        "cqltypes",
        "types are objects instead of classes, with typename, subtypes, serialize and deserialize",
        (
            "CassandraTypeType ColumnToCollectionType CompositeType "
            "DynamicCompositeType EmptyValue FrozenType ReversedType "
            "apache_cassandra_type_prefix cassandra_empty_type cql_empty_type "
            "cql_timestamp_formats cql_types_from_string cqltype_to_python is_counter_type "
            "is_reversed_casstype lookup_casstype_simple mkUnrecognizedType parse_casstype_args "
            "python_to_cqltype strip_frozen trim_if_startswith"
        ),
    ),
    (
        "cqltypes",
        _DSE,
        "BoundKind DateRangeType LineStringType PointType PolygonType WKBGeometryType",
    ),
    (
        "marshal",
        _INTERNAL,
        "bit_length decode_zig_zag encode_zig_zag header_* uint32_le_* uvint_* v3_header_* vints_*",
    ),
    ("metadata", _DSE, "EdgeMetadata RLACTableExtension TableMetadataDSE68 VertexMetadata"),
    (
        "metadata",
        "use TableMetadata.extensions, which has the data",
        "RegisteredTableExtension TableExtensionInterface",
    ),
    (
        "metadata",
        _INTERNAL,
        (
            "NoMurmur3 REPLICATION_STRATEGY_CLASS_PREFIX ReplicationStrategyTypeType "
            "SchemaParser* get_schema_parser trim_if_startswith"
        ),
    ),
    ("metadata", "use cql_keywords_reserved", "cql_keywords cql_keywords_unreserved"),
    (
        "Metadata",
        "use Cluster.refresh_schema_metadata",
        "add_or_return_host dbaas rebuild_token_map refresh remove_host",
    ),
    (
        "TokenMap",
        "use TokenMap.get_replicas",
        "rebuild_keyspace remove_keyspace replica_map_for_keyspace tokens_to_hosts_by_ks",
    ),
    ("ReplicationStrategy", "use Metadata.get_replicas", "make_token_replica_map"),
    ("SimpleStrategy", "use Metadata.get_replicas", "make_token_replica_map"),
    ("NetworkTopologyStrategy", "use Metadata.get_replicas", "make_token_replica_map"),
    ("LocalStrategy", "use Metadata.get_replicas", "make_token_replica_map"),
    ("KeyspaceMetadata", "use KeyspaceMetadata.user_type_strings", "resolve_user_types"),
    ("TableMetadata", "use the entry compaction of TableMetadata.options", "compaction_options"),
    ("metrics", "use the server's own metrics", "*"),
    ("policies", "columns cannot be encrypted", "ColumnEncryptionPolicy"),
    ("policies", "use DefaultLoadBalancingPolicy", "DSELoadBalancingPolicy WrapperPolicy"),
    ("ReconnectionPolicy", _CUSTOM, "new_schedule"),
    ("pool", _POOLS, "HostConnection HostConnectionPool"),
    (
        "Host",
        _INTERNAL,
        (
            "conviction_policy dse_version dse_workload dse_workloads "
            "get_and_set_reconnection_handler is_currently_reconnecting lock set_down "
            "set_location_info set_up signal_connection_failure"
        ),
    ),
    (
        "protocol",
        "use the exceptions in cassandra: InvalidRequest, ReadTimeout, Unavailable and others",
        (
            "AlreadyExistsException BadCredentials CDCWriteException ClientWriteError "
            "ErrorMessageSub ErrorMessageSubclass FunctionFailureMessage InternalError "
            "InvalidRequestException NotSupportedError PreparedQueryNotFound ReadFailureMessage "
            "ReadTimeoutErrorMessage UnauthorizedErrorMessage UnavailableErrorMessage "
            "WriteFailureMessage WriteTimeoutErrorMessage"
        ),
    ),
    (
        "protocol",
        "the engine handles the protocol itself; spikewire.cql returns rows as Arrow and NumPy",
        (
            "AuthChallengeMessage AuthResponseMessage AuthSuccessMessage AuthenticateMessage "
            "BatchMessage COMPRESSED_FLAG CUSTOM_PAYLOAD_FLAG CUSTOM_TYPE CredentialsMessage "
            "EventMessage ExecuteMessage HAVE_* HEADER_* LazyProtocolHandler "
            "NumpyProtocolHandler OptionsMessage PrepareMessage ProtocolHandler QueryMessage "
            "RESULT_KIND_* ReadyMessage RegisterMessage ResultMessage ReviseRequestMessage "
            "StartupMessage SupportedMessage TRACING_FLAG USE_BETA_* WARNING_FLAG "
            "cython_protocol_handler error_classes get_registered_classes known_event_types "
            "read_* register_class write_*"
        ),
    ),
    ("ErrorMessage", _INTERNAL, "name opcode recv_body recv_error_info to_exception"),
    ("ProtocolException", _INTERNAL, "is_beta_protocol_error"),
    ("query", "use the parameter host of Session.execute", "HostTargetingStatement"),
    ("query", "use named_tuple_factory", "PseudoNamedTupleRow pseudo_namedtuple_factory"),
    (
        "PreparedStatement",
        _INTERNAL,
        "column_encryption_policy from_message result_metadata result_metadata_id",
    ),
    ("timestamps", "leave it out; the engine generates increasing timestamps", "*"),
    (
        "util",
        _DSE,
        "DateRange DateRangeBound DateRangePrecision Distance LineString OPEN_BOUND Point Polygon",
    ),
    ("util", _INTERNAL, "is_little_endian list_contents_to_tuple"),
    ("segment", _INTERNAL, "*"),
    ("murmur3", "use murmur3.murmur3", "body_and_tail fmix rotl64 truncate_int64"),
    ("PlainTextAuthenticator", _INTERNAL, "get_initial_challenge get_mechanism"),
    ("Encoder", "use Encoder.cql_encode_str", "cql_encode_str_quoted cql_encode_unicode"),
    (
        "UserType",
        "types are objects instead of classes; use cqltypes.lookup_casstype to create them",
        "apply_parameters cql_parameterized_type deserialize_safe evict_udt_class serialize_safe",
    ),
    ("type_codes", _INTERNAL, "*"),
    *((module, _INTERNAL, "*") for module in ("bytesio", "cmurmur3", "obj_parser", "parsing")),
    *((module, _INTERNAL, "*") for module in ("cython_marshal", "cython_utils", "deserializers")),
    *(
        (module, "use spikewire.cql, which returns rows as NumPy arrays", "*")
        for module in ("numpy_parser", "row_parser")
    ),
    ("", _INTERNAL, "NullHandler"),
    ("DependencyException", _INTERNAL, "excs"),
    # Names that modules of the other driver import from each other.
    (
        "cluster",
        _INTERNAL,
        (
            "BatchMessage ConnectionHeartbeat DefaultEndPointFactory ExecuteMessage "
            "FIRST_COMPLETED HostConnection HostConnectionPool MonotonicTimestampGenerator "
            "NoSpeculativeExecutionPlan PrepareMessage PreparedQueryNotFound ProtocolHandler "
            "QueryMessage RESULT_KIND_* ReadTimeoutErrorMessage ResultMessage SniEndPointFactory "
            "UnavailableErrorMessage WriteTimeoutErrorMessage excs random "
            "refresh_schema_and_set_result run_in_executor"
        ),
    ),
    ("cluster", "use the parameter host of Session.execute", "HostTargetingStatement"),
    (
        "cluster",
        _DSE,
        (
            "ContinuousPagingState Graph* MonitorReporter SimpleGraphStatement graph_* "
            "version_supports_insights"
        ),
    ),
    (
        "ControlConnection",
        _INTERNAL,
        (
            "PeersQueryType connect get_connections on_add on_down on_remove on_up reconnect "
            "return_connection shutdown"
        ),
    ),
    ("ResponseFuture", "use ResponseFuture.timeout", "default_timeout"),
    ("Session", _INTERNAL, "prepare_on_all_hosts"),
    (
        "connection",
        _INTERNAL,
        (
            "AuthChallengeMessage AuthResponseMessage AuthSuccessMessage AuthenticateMessage "
            "CrcException CredentialsMessage InvalidRequestException OptionsMessage "
            "ProtocolHandler QueryMessage ReadyMessage RegisterMessage ResultMessage "
            "ReviseRequestMessage SegmentCodec StartupMessage SupportedMessage"
        ),
    ),
    ("Connection.", _POOLS, "*"),
    ("EndPoint", "use DefaultEndPoint", "resolve socket_family ssl_options"),
    ("DefaultEndPoint", "use Cluster(ssl_options)", "socket_family ssl_options"),
    (
        "CassandraType",
        _INTERNAL,
        (
            "cass_parameterized_type_with empty_binary_ok num_subtypes serial_size "
            "support_empty_values"
        ),
    ),
    (
        "UserType",
        "types are objects instead of classes; use cqltypes.lookup_casstype to create them",
        (
            "cass_parameterized_type cass_parameterized_type_with cassname deserialize "
            "empty_binary_ok from_binary num_subtypes serial_size serialize subtypes "
            "support_empty_values to_binary typename"
        ),
    ),
    ("ExecutionProfile", _DSE, "continuous_paging_options"),
    ("cqltypes", _INTERNAL, "uvint_pack uvint_unpack vints_pack vints_unpack"),
    ("encoder", _DSE, "LineString Point Polygon"),
    ("metadata", _INTERNAL, "MAX_LONG MIN_LONG QueryMessage"),
    ("TableMetadataV3", _INTERNAL, "compaction_options option_maps"),
    ("murmur3", _INTERNAL, "INT64_*"),
    ("ErrorMessage", _INTERNAL, "custom_payload tracing update_custom_payload warnings"),
    (
        "protocol",
        _INTERNAL,
        (
            "LazyParser ListParser NumpyParser header_pack uint32_le_pack uint32_le_unpack "
            "v3_header_pack"
        ),
    ),
    ("cython_deps", _INTERNAL, "*"),
    ("column_encryption", "columns cannot be encrypted", "*"),
)

//! Result codes of the server.

/// A server's result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResultCode(pub u8);

macro_rules! codes {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        #[allow(missing_docs)]
        impl ResultCode {
            $(#[doc = $text] pub const $name: Self = Self($code);)*

            /// The symbolic name, `None` for an unknown code.
            pub fn name(self) -> Option<&'static str> {
                match self.0 { $($code => Some(stringify!($name)),)* _ => None }
            }

            /// A short description.
            pub fn text(self) -> &'static str {
                match self.0 { $($code => $text,)* _ => "result code unknown to this client" }
            }

            /// Every known code, with its name and description.
            pub const ALL: &[(u8, &str, &str)] = &[$(($code, stringify!($name), $text),)*];
        }
    };
}

codes! {
    OK = 0, "ok";
    SERVER = 1, "unspecified server error, or a malformed list or map value";
    NOT_FOUND = 2, "no such record";
    GENERATION = 3, "the record's generation is not the expected one";
    PARAMETER = 4, "the server could not accept a parameter of the request";
    RECORD_EXISTS = 5, "the record exists already";
    BIN_EXISTS = 6, "the bin exists already";
    CLUSTER_KEY_MISMATCH = 7, "the cluster changed during the command";
    STOP_WRITES = 8, "the namespace is out of space and takes no writes";
    TIMEOUT = 9, "the server gave up after its own timeout";
    FORBIDDEN_ALWAYS = 10, "operation not allowed by configuration";
    PARTITION_UNAVAILABLE = 11, "the partition is not available on this node now";
    BIN_TYPE = 12, "the operation does not fit the type of the bin";
    RECORD_TOO_BIG = 13, "the record would exceed the namespace's max-record-size";
    KEY_BUSY = 14, "too many commands wait for this one record (hot key)";
    SCAN_ABORTED = 15, "the scan or query was aborted";
    UNSUPPORTED_FEATURE = 16, "the server does not support this request";
    BIN_NOT_FOUND = 17, "no such bin";
    DEVICE_OVERLOAD = 18, "the storage device cannot keep up";
    KEY_MISMATCH = 19, "the stored key is not the key that was sent";
    NAMESPACE = 20, "the namespace does not exist on the node";
    BIN_NAME = 21, "bin name too long, or too many bin names";
    FORBIDDEN = 22, "the operation is not permitted now";
    ELEMENT_NOT_FOUND = 23, "no such list or map element";
    ELEMENT_EXISTS = 24, "the list or map element exists already";
    ENTERPRISE_ONLY = 25, "only the Enterprise Edition of the server can do this";
    OP_NOT_APPLICABLE = 26, "the operation does not fit the value";
    FILTERED_OUT = 27, "the filter expression was false for this record";
    LOST_CONFLICT = 28, "the write lost against a newer one from another data centre";
    INVALID_ENCODING = 29, "the text is not valid UTF-8";
    XDR_KEY_BUSY = 32, "the record is being shipped to another data centre";
    QUERY_END = 50, "end of list";
    SECURITY_NOT_SUPPORTED = 51, "this server has no security";
    SECURITY_NOT_ENABLED = 52, "security is not enabled on this server";
    SECURITY_SCHEME = 53, "unknown security scheme";
    SECURITY_COMMAND = 54, "unknown security command";
    SECURITY_FIELD = 55, "unknown security field";
    ILLEGAL_STATE = 56, "security command out of order";
    INVALID_USER = 60, "no such user";
    USER_EXISTS = 61, "the user exists already";
    INVALID_PASSWORD = 62, "wrong password";
    EXPIRED_PASSWORD = 63, "the password has expired";
    FORBIDDEN_PASSWORD = 64, "this password is not allowed";
    INVALID_CREDENTIAL = 65, "invalid credential";
    EXPIRED_SESSION = 66, "the login session has expired";
    INVALID_ROLE = 70, "no such role";
    ROLE_EXISTS = 71, "the role exists already";
    INVALID_PRIVILEGE = 72, "invalid privilege";
    INVALID_WHITELIST = 73, "invalid address list";
    QUOTAS_NOT_ENABLED = 74, "quotas are not enabled on this server";
    INVALID_QUOTA = 75, "invalid quota";
    NOT_AUTHENTICATED = 80, "the connection is not logged in";
    ROLE_VIOLATION = 81, "the user lacks the privilege for this";
    NOT_WHITELISTED = 82, "this address is not allowed to connect";
    QUOTA_EXCEEDED = 83, "the user's quota is used up";
    UDF = 100, "the user-defined function failed";
    TRANSACTION_BLOCKED = 120, "the record is locked by another transaction";
    TRANSACTION_VERSION = 121, "a record changed since the transaction read it";
    TRANSACTION_EXPIRED = 122, "the transaction has expired";
    TRANSACTION_TOO_MANY_WRITES = 123, "the transaction writes more than 4,096 records";
    TRANSACTION_COMMITTED = 124, "the transaction is committed already";
    TRANSACTION_ABORTED = 125, "the transaction is aborted already";
    TRANSACTION_LOCKED = 126, "the record is locked by this transaction already";
    TRANSACTION_MONITOR_EXISTS = 127, "the transaction exists already";
    BATCH_DISABLED = 150, "batch commands are disabled on this server";
    BATCH_MAX_REQUESTS = 151, "more rows than the server's batch-max-requests";
    BATCH_QUEUES_FULL = 152, "all batch queues of the server are full";
    INVALID_GEOJSON = 160, "not a GeoJSON point, polygon or circle";
    INDEX_FOUND = 200, "the index exists already";
    INDEX_NOT_FOUND = 201, "no such index";
    INDEX_OUT_OF_MEMORY = 202, "no memory left for the index";
    INDEX_NOT_READABLE = 203, "the index is still being built";
    INDEX_GENERIC = 204, "index error";
    INDEX_NAME_TOO_LONG = 205, "the index name is too long";
    INDEX_MAX_COUNT = 206, "too many indexes";
    QUERY_ABORTED = 210, "the query was aborted";
    QUERY_QUEUE_FULL = 211, "the server's query queue is full";
    QUERY_TIMEOUT = 212, "the query timed out on the server";
    QUERY_GENERIC = 213, "query error";
}

impl ResultCode {
    /// Whether the same request may succeed if it is repeated unchanged.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::TIMEOUT | Self::PARTITION_UNAVAILABLE | Self::DEVICE_OVERLOAD)
            || self.needs_login()
    }

    /// Whether a transaction is the reason.
    pub fn is_of_transaction(self) -> bool {
        (Self::TRANSACTION_BLOCKED.0..=Self::TRANSACTION_MONITOR_EXISTS.0).contains(&self.0)
    }

    /// Whether the server is known to drop or desynchronise the connection after this code.
    pub fn closes_connection(self) -> bool {
        matches!(self, Self::SCAN_ABORTED | Self::QUERY_ABORTED) || self.needs_login()
    }

    /// Whether the connection is not, or no longer, authenticated, so that the request was not
    /// executed.
    pub fn needs_login(self) -> bool {
        matches!(self, Self::EXPIRED_SESSION | Self::NOT_AUTHENTICATED)
    }
}

impl std::fmt::Display for ResultCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({}): {}", self.0, name, self.text()),
            None => write!(f, "{}: {}", self.0, self.text()),
        }
    }
}

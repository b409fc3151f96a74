//! What the numbers below a result code mean, for servers that send them and for every client
//! language. `docs/error-details.md` lists them.

use crate::result_code::ResultCode;

/// A reason below a result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subcode {
    /// The result code that it belongs to.
    pub code: ResultCode,
    /// Its number there.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

macro_rules! subcodes {
    ($($name:ident = $code:ident $number:literal, $word:literal, $text:literal;)*) => {
        $(
            #[doc = $text]
            pub const $name: Subcode =
                Subcode { code: ResultCode::$code, number: $number, name: $word, text: $text };
        )*

        /// All of them.
        pub const ALL: &[Subcode] = &[$($name,)*];
    };
}

subcodes! {
    TTL = PARAMETER 1, "ttl_invalid", "the TTL is beyond what the namespace allows";
    BITS_OFFSET = PARAMETER 2, "bits_offset_out_of_range", "the offset is outside the blob";
    BITS_SIZE = PARAMETER 3, "bits_size_out_of_range", "the size is not one of the operation";
    BITS_RESIZE = PARAMETER 4, "bits_resize_exceeded", "the blob would become too large";
    BIN_COUNT = PARAMETER 5, "bin_count_too_large", "the record would have too many bins";
    STRING_PARAMETERS = PARAMETER 6, "string_parameters", "invalid arguments of a string operation";
    STRING_OP = PARAMETER 7, "string_op", "not a string operation";
    STRING_CONTEXT = PARAMETER 8, "string_context", "a path that string operations do not take";
    STRING_INDEX = PARAMETER 9, "string_index", "the index is outside the string";
    REGEX = PARAMETER 10, "regex", "not a regular expression";
    ARGUMENT_ENCODING = PARAMETER 11, "utf8", "an argument is not UTF-8";
    INITIAL_BALANCE = PARTITION_UNAVAILABLE 1, "initial_balance_unresolved", "the cluster is still forming";
    REPLICA = PARTITION_UNAVAILABLE 2, "replica_unavailable", "a copy that is needed is not there";
    SHUTTING_DOWN = PARTITION_UNAVAILABLE 3, "node_shutting_down", "the node is shutting down";
    STRONG_CONSISTENCY = UNSUPPORTED_FEATURE 1, "transaction_requires_strong_consistency", "the namespace is not strongly consistent";
    UNSUPPORTED = UNSUPPORTED_FEATURE 2, "generic", "not supported here";
    HLL_MISSING = BIN_NOT_FOUND 1, "hll_cannot_create", "the operation does not create a sketch";
    STRING_MISSING = BIN_NOT_FOUND 2, "string_not_found", "the string to change is not there";
    BIN_NAMES = BIN_NAME 1, "bin_count_too_large", "the record would have too many bins";
    XDR_FILTER = FORBIDDEN 1, "xdr_filter_blocked", "a filter of XDR rejects the write";
    SET_COUNT = FORBIDDEN 2, "set_count_stop_writes", "the set has as many records as it may";
    SET_SIZE = FORBIDDEN 3, "set_size_stop_writes", "the set is as large as it may be";
    CLOCK_SKEW = FORBIDDEN 4, "clock_skew_stop_writes", "the clocks of the cluster differ too much";
    REPLACE_CONFLICT = FORBIDDEN 5, "replace_conflict_resolving", "no replacing while conflicts are resolved";
    TRUNCATED = FORBIDDEN 6, "truncated", "the set is being truncated";
    DURABILITY = FORBIDDEN 8, "durability_violation", "only durable deletes here";
    CDT_INDEX = OP_NOT_APPLICABLE 1, "cdt_index_out_of_bounds", "the index is outside the list or map";
    CDT_RANK = OP_NOT_APPLICABLE 2, "cdt_rank_out_of_bounds", "the rank is outside the list or map";
    BOUNDED_LIST = OP_NOT_APPLICABLE 3, "bounded_list_overflow", "the bounded list is full";
    HLL_INDEX_BITS = OP_NOT_APPLICABLE 4, "hll_index_bits_unset", "the sketch has no index bits";
    HLL_REDUCE_INDEX = OP_NOT_APPLICABLE 5, "hll_cannot_reduce_index_bits", "folding is not allowed, and the sketches differ in index bits";
    HLL_REDUCE_MIN_HASH = OP_NOT_APPLICABLE 6, "hll_cannot_reduce_min_hash_bits", "folding is not allowed, and the sketches differ in min-hash bits";
    HLL_FOLD_MIN_HASH = OP_NOT_APPLICABLE 7, "hll_cannot_fold_min_hash", "a sketch with min-hash bits cannot be folded";
    HLL_FOLD_INDEX = OP_NOT_APPLICABLE 8, "hll_fold_index_bits_too_large", "folding only makes index bits fewer";
    HLL_INTERSECT = OP_NOT_APPLICABLE 9, "hll_intersect_min_hash_mismatch", "the sketches differ in min-hash bits";
    STRING_CONVERSION = OP_NOT_APPLICABLE 10, "string_conversion", "the string is not a number of this kind";
    STRING_ENCODING = OP_NOT_APPLICABLE 11, "utf8", "the result is not UTF-8";
    REGEX_LIMIT = OP_NOT_APPLICABLE 12, "regex_limit", "the regular expression takes too many steps";
    BASE64 = OP_NOT_APPLICABLE 13, "base64", "the string is not base64";
    RECORD_LOCKED = TRANSACTION_BLOCKED 1, "record_locked", "another transaction has the record";
    ID_MISMATCH = TRANSACTION_BLOCKED 2, "id_mismatch", "the record belongs to another transaction";
}

/// The subcode with this number below this result code.
pub fn find(code: u8, number: u32) -> Option<&'static Subcode> {
    ALL.iter().find(|known| known.code.0 == code && known.number == number)
}

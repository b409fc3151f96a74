//! Flags of expression read and write operations.

use super::Fault;

/// Fail if the bin exists.
pub const CREATE_ONLY: i64 = 1;
/// Fail if the bin does not exist.
pub const UPDATE_ONLY: i64 = 2;
/// Nil removes the bin.
pub const ALLOW_DELETE: i64 = 4;
/// Do nothing instead of failing because of the first two.
pub const POLICY_NO_FAIL: i64 = 8;
/// Treat an "unknown" result as no result instead of failing.
pub const EVALUATION_NO_FAIL: i64 = 16;

/// Rejects contradictory flags.
pub fn check(flags: i64) -> Result<(), Fault> {
    if flags & CREATE_ONLY != 0 && flags & UPDATE_ONLY != 0 {
        return Err(Fault::Value("create_only and update_only exclude each other".into()));
    }
    Ok(())
}

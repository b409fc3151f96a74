//! Flags of the operations that read and write what an expression gives.

use super::Fault;

/// The bin must not be there.
pub const CREATE_ONLY: i64 = 1;
/// The bin must be there.
pub const UPDATE_ONLY: i64 = 2;
/// Nil removes the bin.
pub const ALLOW_DELETE: i64 = 4;
/// What the first two refuse is not done, and no error.
pub const POLICY_NO_FAIL: i64 = 8;
/// An unknown result is none, and no error.
pub const EVALUATION_NO_FAIL: i64 = 16;

/// Refuses flags that contradict each other.
pub fn check(flags: i64) -> Result<(), Fault> {
    if flags & CREATE_ONLY != 0 && flags & UPDATE_ONLY != 0 {
        return Err(Fault::Value("create_only and update_only exclude each other".into()));
    }
    Ok(())
}

//! Empty types in place of spans.

use spikewire_aerospike::cluster::Node;
use spikewire_aerospike::command::{Prepared, SetRef};

use crate::Error;
use crate::aerospike::administration::Administration;

/// Empty. Not a unit struct, so that it is created like the other one.
#[derive(Debug, Default)]
pub(crate) struct VerbSpan(());

/// Empty.
pub(crate) struct SpanGuard;

#[expect(clippy::unused_self, reason = "the other one looks at itself")]
impl VerbSpan {
    #[inline(always)]
    pub fn command(_: &SetRef, _: &Prepared) -> Self {
        Self(())
    }

    #[inline(always)]
    pub fn many(_: &SetRef, _: &'static str, _: usize) -> Self {
        Self(())
    }

    #[inline(always)]
    pub fn query(_: &str, _: &str) -> Self {
        Self(())
    }

    #[cfg(feature = "aggregate")]
    #[inline(always)]
    pub fn aggregation(_: &SetRef) -> Self {
        Self(())
    }

    #[inline(always)]
    pub fn administration(_: Administration<'_>) -> Self {
        Self(())
    }

    #[inline(always)]
    pub fn enter(&self) -> SpanGuard {
        SpanGuard
    }

    #[inline(always)]
    pub fn answered(&self, _: &[u8], _: &Node) {}

    #[inline(always)]
    pub fn done(&self) {}

    #[inline(always)]
    pub fn failed(&self, _: &Error) {}
}

//! Typed expressions, built with functions and operators; equivalent to those that
//! [`Expression::from`](Expression) parses.
//!
//! ```
//! use spikewire::exp;
//!
//! let adults = exp::bin("age").ge(18);
//! let wanted = adults & exp::bin("country").eq("US") & !exp::bin("banned");
//! let text = "$.age:INT >= 18 and $.country:STRING == 'US' and not($.banned:BOOL)";
//! assert_eq!(wanted.to_string(), text);
//! ```
//!
//! The type of a bin is determined by its use; if that is ambiguous, use [`typed_bin`]. If a bin is
//! missing or of another type, a comparison is neither true nor false, and the record does not
//! match. Incompatible types fail with [`Kind::Invalid`](crate::Kind::Invalid) when the expression
//! is used.
//!
//! Operators: `eq ne lt le gt ge`, `& | ! ^` (and, or, not, exclusive or; bitwise on integers),
//! `+ - * / %`, `<< >>`. Integer division truncates toward zero; a filter should not divide by a bin
//! that may be 0 or -1, as servers may fail on that.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Meta, Op};

use super::operand::Operand;
use super::{Expression, Form};
pub use super::{bit, hll, list, loop_var, map, path, string};
pub use spikewire_aerospike_protocol::expression::Type;

fn of_tree(tree: Result<Tree, Fault>) -> Expression {
    Expression(Form::Tree(tree))
}

/// The value of a bin.
pub fn bin(name: impl AsRef<str>) -> Expression {
    of_tree(Tree::bin(name.as_ref()))
}

/// The value of a bin of this type.
pub fn typed_bin(name: impl AsRef<str>, kind: Type) -> Expression {
    of_tree(Tree::typed_bin(kind, name.as_ref()))
}

/// The particle type of a bin: 1 integer, 2 float, 3 string, 4 bytes, 17 bool, 18 `HyperLogLog`, 19
/// map, 20 list, 23 `GeoJSON`; 0 if it is missing.
pub fn bin_type(name: impl AsRef<str>) -> Expression {
    of_tree(Tree::bin_type(name.as_ref()))
}

/// Whether the record has this bin.
pub fn bin_exists(name: impl AsRef<str>) -> Expression {
    bin_type(name).ne(0)
}

/// A constant. Operands that are not expressions become constants automatically; use this if the
/// first operand is one.
pub fn value(value: impl Operand) -> Expression {
    of_tree(value.into_tree())
}

/// Neither true nor false, for a branch of [`cond`] that must not match.
pub fn unknown() -> Expression {
    of_tree(Ok(Tree::unknown()))
}

/// Parses a text, like [`Expression::from`](Expression) does.
pub fn text(text: impl Into<String>) -> Expression {
    Expression::from(text.into())
}

/// The user key, if one of this type is stored with the record.
pub fn key(kind: Type) -> Expression {
    of_tree(Tree::key(kind))
}

macro_rules! metadata {
    ($($(#[doc = $doc:literal])* $name:ident $meta:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name() -> Expression {
            of_tree(Ok(Tree::meta(Meta::$meta)))
        })*
    };
}

metadata! {
    /// Whether the user key is stored with the record.
    key_exists KeyExists;
    /// The name of the record's set.
    set_name SetName;
    /// Seconds until the record expires; -1 for never.
    ttl Ttl;
    /// When the record expires, in ns since 1970; -1 for never.
    void_time VoidTime;
    /// When the record was last written, in ns since 1970.
    last_update LastUpdate;
    /// Milliseconds since the record was last written.
    since_update SinceUpdate;
    /// The size of the record in bytes.
    record_size RecordSize;
    /// The size of the record on its device, in bytes. On newer servers, prefer [`record_size`].
    device_size DeviceSize;
    /// The size of the record in memory, in bytes. On newer servers, prefer [`record_size`].
    memory_size MemorySize;
    /// Whether the record is a tombstone.
    is_tombstone IsTombstone;
}

/// The last four bytes of the digest modulo `divisor`: selects a stable part of all records.
pub fn digest_modulo(divisor: i64) -> Expression {
    of_tree(Tree::digest_modulo(divisor))
}

/// Whether exactly one is true.
pub fn exclusive<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Exclusive, operands.into_iter().map(T::into_tree))
}

/// The value for the first test that is true, else the last value.
///
/// ```
/// use spikewire::exp;
///
/// let size = exp::cond([(exp::bin("n").gt(3), exp::value("many"))], "few");
/// assert_eq!(size.to_string(), "when($.n:INT > 3 => 'many', default => 'few')");
/// ```
pub fn cond<V: Operand>(
    tests: impl IntoIterator<Item = (Expression, V)>,
    otherwise: impl Operand,
) -> Expression {
    let branches =
        tests.into_iter().flat_map(|(test, value)| [test.tree(false), value.into_tree()]);
    Expression::applied(Op::Cond, branches.chain([otherwise.into_tree()]))
}

/// Evaluates values once and uses them in `scope` through [`var`]. Later definitions can use
/// earlier ones.
pub fn bind<N: Into<String>, V: Operand>(
    definitions: impl IntoIterator<Item = (N, V)>,
    scope: impl Operand,
) -> Expression {
    let define = |(name, value): (N, V)| Ok((name.into().into_bytes(), value.into_tree()?));
    let definitions = definitions.into_iter().map(define).collect::<Result<Vec<_>, _>>();
    of_tree(definitions.and_then(|definitions| Tree::bind(definitions, scope.into_tree()?)))
}

/// The value of a variable of [`bind`].
pub fn var(name: impl AsRef<str>) -> Expression {
    of_tree(Tree::var(name.as_ref()))
}

/// The smallest of numbers of one type.
pub fn minimum<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Min, operands.into_iter().map(T::into_tree))
}

/// The largest of numbers of one type.
pub fn maximum<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Max, operands.into_iter().map(T::into_tree))
}

/// The number of bits set in an integer.
pub fn bit_count(number: impl Operand) -> Expression {
    Expression::applied(Op::BitCount, [number.into_tree()])
}

/// The position of the first bit equal to `bit`, counted from the most significant; -1 if none.
pub fn bit_scan(number: impl Operand, bit: impl Operand) -> Expression {
    Expression::applied(Op::ScanLeft, [number.into_tree(), bit.into_tree()])
}

/// The same for the last bit equal to `bit`.
pub fn bit_scan_from_right(number: impl Operand, bit: impl Operand) -> Expression {
    Expression::applied(Op::ScanRight, [number.into_tree(), bit.into_tree()])
}

/// The keys of a map, as a list (servers from 8.1.1).
pub fn map_keys(operand: impl Operand) -> Expression {
    Expression::applied(Op::MapKeys, [operand.into_tree()])
}

/// The values of a map, as a list (servers from 8.1.1).
pub fn map_values(operand: impl Operand) -> Expression {
    Expression::applied(Op::MapValues, [operand.into_tree()])
}

/// Whether a `GeoJSON` point is within a `GeoJSON` region, in either order.
pub fn within(point: impl Operand, region: impl Operand) -> Expression {
    Expression::applied(Op::Geo, [point.into_tree(), region.into_tree()])
}

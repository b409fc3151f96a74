//! Typed expressions, made of functions and operators; the same that
//! [`Expression::from`](Expression) reads from a text.
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
//! Bins take the type of what they are used with; where nothing says it, name it with
//! [`typed_bin`]. In a record where a bin is missing or of another type a comparison is neither true
//! nor false, and such records do not match. What does not go together fails with
//! [`Kind::Invalid`](crate::Kind::Invalid) when the expression is used.
//!
//! Operators: `eq ne lt le gt ge`, `& | ! ^` (and, or, not, one of two; bit by bit on integers),
//! `+ - * / %`, `<< >>`. Integers divide toward zero; a filter should not divide by a bin that may
//! hold 0 or -1, as servers may fail on that.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Meta, Op};

use super::operand::Operand;
use super::{Expression, Form};
pub use super::{bit, hll, list, map};
pub use spikewire_aerospike_protocol::expression::Type;

fn made(tree: Result<Tree, Fault>) -> Expression {
    Expression(Form::Tree(tree))
}

/// The value of a bin.
pub fn bin(name: impl AsRef<str>) -> Expression {
    made(Tree::bin(name.as_ref()))
}

/// The value of a bin of this type.
pub fn typed_bin(name: impl AsRef<str>, kind: Type) -> Expression {
    made(Tree::typed_bin(kind, name.as_ref()))
}

/// The particle type of a bin: 1 integer, 2 float, 3 string, 4 bytes, 17 bool, 18 `HyperLogLog`,
/// 19 map, 20 list, 23 `GeoJSON`; 0 if it is missing.
pub fn bin_type(name: impl AsRef<str>) -> Expression {
    made(Tree::bin_type(name.as_ref()))
}

/// Whether the record has this bin.
pub fn bin_exists(name: impl AsRef<str>) -> Expression {
    bin_type(name).ne(0)
}

/// A constant. Operands that are no expressions become constants by themselves; this is for where
/// the first one is none.
pub fn value(value: impl Operand) -> Expression {
    made(value.into_tree())
}

/// What is neither true nor false, for a branch of [`cond`] that must not match.
pub fn unknown() -> Expression {
    made(Ok(Tree::unknown()))
}

/// Reads a text, as [`Expression::from`](Expression) does.
pub fn text(text: impl Into<String>) -> Expression {
    Expression::from(text.into())
}

/// The user key, where one of this type is stored with the record.
pub fn key(kind: Type) -> Expression {
    made(Tree::key(kind))
}

macro_rules! metadata {
    ($($(#[doc = $doc:literal])* $name:ident $meta:ident;)*) => {
        $($(#[doc = $doc])*
        pub fn $name() -> Expression {
            made(Ok(Tree::meta(Meta::$meta)))
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
    /// Bytes that the record takes.
    record_size RecordSize;
    /// Bytes that the record takes on a device. Newer servers prefer [`record_size`].
    device_size DeviceSize;
    /// Bytes that the record takes in memory. Newer servers prefer [`record_size`].
    memory_size MemorySize;
    /// Whether the record is a tombstone.
    is_tombstone IsTombstone;
}

/// The last four bytes of the digest modulo `divisor`: a stable part of all records.
pub fn digest_modulo(divisor: i64) -> Expression {
    made(Tree::digest_modulo(divisor))
}

/// Whether exactly one is true.
pub fn exclusive<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Exclusive, operands.into_iter().map(T::into_tree))
}

/// The value behind the first test that is true, else the last one.
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

/// Computes values once and uses them in `scope` through [`var`]. Later definitions see earlier
/// ones.
pub fn bind<N: Into<String>, V: Operand>(
    definitions: impl IntoIterator<Item = (N, V)>,
    scope: impl Operand,
) -> Expression {
    let define = |(name, value): (N, V)| Ok((name.into().into_bytes(), value.into_tree()?));
    let definitions = definitions.into_iter().map(define).collect::<Result<Vec<_>, _>>();
    made(definitions.and_then(|definitions| Tree::bind(definitions, scope.into_tree()?)))
}

/// The value of a variable of [`bind`].
pub fn var(name: impl AsRef<str>) -> Expression {
    made(Tree::var(name.as_ref()))
}

/// The smallest of numbers of one type.
pub fn minimum<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Min, operands.into_iter().map(T::into_tree))
}

/// The largest of numbers of one type.
pub fn maximum<T: Operand>(operands: impl IntoIterator<Item = T>) -> Expression {
    Expression::applied(Op::Max, operands.into_iter().map(T::into_tree))
}

/// How many bits of an integer are set.
pub fn bit_count(number: impl Operand) -> Expression {
    Expression::applied(Op::BitCount, [number.into_tree()])
}

/// The place of the first bit like `bit`, counted from the most significant; -1 if none.
pub fn bit_scan(number: impl Operand, bit: impl Operand) -> Expression {
    Expression::applied(Op::ScanLeft, [number.into_tree(), bit.into_tree()])
}

/// The same for the last bit like `bit`.
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

/// Whether a `GeoJSON` point lies in a `GeoJSON` region, in either order.
pub fn within(point: impl Operand, region: impl Operand) -> Expression {
    Expression::applied(Op::Geo, [point.into_tree(), region.into_tree()])
}

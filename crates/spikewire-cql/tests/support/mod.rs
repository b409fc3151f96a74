//! Arbitrary types and values.

use std::net::IpAddr;

use proptest::prelude::*;
use proptest::sample::select;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Decimal, Duration, Value, Varint};

const NATIVE: [Type; 20] = [
    Type::Ascii,
    Type::Bigint,
    Type::Blob,
    Type::Boolean,
    Type::Counter,
    Type::Decimal,
    Type::Double,
    Type::Float,
    Type::Int,
    Type::Timestamp,
    Type::Uuid,
    Type::Text,
    Type::Varint,
    Type::Timeuuid,
    Type::Inet,
    Type::Date,
    Type::Time,
    Type::Smallint,
    Type::Tinyint,
    Type::Duration,
];

/// Any type.
pub fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        9 => select(NATIVE.to_vec()),
        1 => "[A-Z][a-z]{1,5}".prop_map(|name| Type::Custom(format!("org.example.{name}").into())),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| Type::map(key, value)),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Type::tuple),
            (inner.clone(), 1..5_usize).prop_map(|(element, n)| Type::vector(element, n)),
            ("\\w{1,6}", prop::collection::btree_map("[^\\x00-\\x1f]{1,6}", inner, 0..4)).prop_map(
                |(name, fields)| {
                    let fields = fields.into_iter().collect();
                    Type::Udt(Udt { keyspace: "ks".to_owned(), name, fields }.into())
                }
            ),
        ]
    })
}

/// Any value of a type.
pub fn values(ty: &Type) -> BoxedStrategy<Value> {
    use prop::collection::vec;
    match ty {
        Type::Ascii => "[ -~]{0,8}".prop_map(Value::Text).boxed(),
        Type::Text => any::<String>().prop_map(Value::Text).boxed(),
        Type::Bigint | Type::Counter => any::<i64>().prop_map(Value::Bigint).boxed(),
        Type::Blob | Type::Custom(_) => vec(any::<u8>(), 0..8).prop_map(Value::Blob).boxed(),
        Type::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        Type::Decimal => (any::<i32>(), vec(any::<u8>(), 0..20))
            .prop_map(|(scale, digits)| {
                Value::Decimal(Decimal { scale, digits: Varint::from_bytes(&digits) })
            })
            .boxed(),
        Type::Double => any::<f64>().prop_map(Value::Double).boxed(),
        Type::Float => any::<f32>().prop_map(Value::Float).boxed(),
        Type::Int => any::<i32>().prop_map(Value::Int).boxed(),
        Type::Timestamp => any::<i64>().prop_map(Value::Timestamp).boxed(),
        Type::Uuid => any::<[u8; 16]>().prop_map(Value::Uuid).boxed(),
        Type::Timeuuid => any::<[u8; 16]>()
            .prop_map(|mut uuid| {
                uuid[6] = 0x10 | uuid[6] & 0x0f;
                Value::Uuid(uuid)
            })
            .boxed(),
        Type::Varint => vec(any::<u8>(), 1..40)
            .prop_map(|bytes| Value::Varint(Varint::from_bytes(&bytes)))
            .boxed(),
        Type::Inet => any::<IpAddr>().prop_map(Value::Inet).boxed(),
        Type::Date => any::<i32>().prop_map(Value::Date).boxed(),
        Type::Time => (0..86_400_000_000_000_i64).prop_map(Value::Time).boxed(),
        Type::Smallint => any::<i16>().prop_map(Value::Smallint).boxed(),
        Type::Tinyint => any::<i8>().prop_map(Value::Tinyint).boxed(),
        Type::Duration => (any::<bool>(), 0..=i32::MAX, 0..=i32::MAX, 0..=i64::MAX)
            .prop_map(|(negative, months, days, nanoseconds)| {
                let sign = if negative { -1 } else { 1 };
                Value::Duration(Duration {
                    months: sign * months,
                    days: sign * days,
                    nanoseconds: i64::from(sign) * nanoseconds,
                })
            })
            .boxed(),
        Type::List(element) => vec(values(element), 0..4).prop_map(Value::List).boxed(),
        Type::Set(element) => vec(values(element), 0..4).prop_map(Value::Set).boxed(),
        Type::Map(entry) => {
            vec((values(&entry.0), values(&entry.1)), 0..4).prop_map(Value::Map).boxed()
        }
        Type::Tuple(components) => {
            components.iter().map(nullable).collect::<Vec<_>>().prop_map(Value::Tuple).boxed()
        }
        Type::Udt(udt) => udt
            .fields
            .iter()
            .map(|(name, ty)| (Just(name.clone()), nullable(ty)))
            .collect::<Vec<_>>()
            .prop_map(Value::Udt)
            .boxed(),
        Type::Vector(vector) => {
            vec(values(&vector.element), vector.dimension).prop_map(Value::List).boxed()
        }
    }
}

fn nullable(ty: &Type) -> BoxedStrategy<Value> {
    let value = values(ty);
    if ty.allows_empty() {
        prop_oneof![5 => value, 1 => Just(Value::Null), 1 => Just(Value::Empty)].boxed()
    } else {
        prop_oneof![5 => value, 1 => Just(Value::Null)].boxed()
    }
}

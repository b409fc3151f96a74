//! A list, map, bit or sketch operation with the arguments given so far.

use spikewire_aerospike_protocol::cdt::context;
use spikewire_aerospike_protocol::expression::{Expression, Fault};
use spikewire_aerospike_protocol::operation::{
    Arguments, Family, OperandArguments, ValueArguments, ValueForm, Words, number_of, within,
};
use spikewire_aerospike_protocol::value::{Value, particle};

use crate::Error;
use crate::aerospike::encode::{Encode, bin_error, element};
use crate::aerospike::step::{self, Step};

/// An argument; values are packed in operations, and subtrees in expressions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument<V> {
    /// Absent.
    Absent,
    Value(V),
    Number(i64),
    Flag(bool),
    Word(&'static str),
}

/// An operation and its arguments, in the order of its signature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call<V> {
    pub family: Family,
    pub name: &'static str,
    pub arguments: Vec<Argument<V>>,
    pub path: Vec<Step>,
    pub pad: bool,
    /// Its first error.
    pub fault: Option<Fault>,
}

impl<V> Call<V> {
    /// An operation without arguments.
    pub fn new(family: Family, name: &'static str) -> Self {
        let count = family.signature(name).map_or(0, |it| it.parameters.len());
        let arguments = std::iter::repeat_with(|| Argument::Absent).take(count).collect();
        Self { family, name, arguments, path: Vec::new(), pad: false, fault: None }
    }

    pub fn with(mut self, at: usize, argument: Argument<V>) -> Self {
        self.arguments[at] = argument;
        self
    }

    pub fn flag(self, at: usize, flag: bool) -> Self {
        self.with(at, Argument::Flag(flag))
    }

    pub fn word(self, at: usize, word: &'static str) -> Self {
        self.with(at, Argument::Word(word))
    }

    pub fn reject(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Sets an option by name.
    pub fn set(&mut self, name: &'static str, argument: Argument<V>) {
        let place = self.family.signature(self.name).and_then(|it| it.place(name));
        match place {
            Some(at) => self.arguments[at] = argument,
            None => self.reject(self.family.takes_no(self.name, name)),
        }
    }

    /// Its qualified name.
    pub fn qualified_name(&self) -> String {
        format!("{}::{}", self.family.name(), self.name)
    }

    /// Its path.
    pub fn steps(&self) -> Result<Vec<context::Step<Vec<u8>>>, Fault> {
        step::steps(&self.path)
    }
}

impl Call<Vec<u8>> {
    /// Any value.
    pub fn value(mut self, at: usize, name: &'static str, value: impl Encode) -> Self {
        match element(name, &value) {
            Ok((_, packed)) => self.with(at, Argument::Value(packed)),
            Err(fault) => {
                self.reject(fault);
                self
            }
        }
    }

    /// Any value; nil for none.
    pub fn optional_value(mut self, at: usize, name: &'static str, value: impl Encode) -> Self {
        match element(name, &value) {
            Ok((particle::NULL, _)) => self,
            Ok((_, packed)) => self.with(at, Argument::Value(packed)),
            Err(fault) => {
                self.reject(fault);
                self
            }
        }
    }

    /// A map key.
    pub fn key(mut self, at: usize, name: &'static str, key: impl Encode) -> Self {
        match element(name, &key) {
            Ok((particle::INTEGER | particle::STRING | particle::BLOB, packed)) => {
                return self.with(at, Argument::Value(packed));
            }
            Ok((other, _)) => self.reject(Fault::Type(format!(
                "{name}: a map key must be an integer, a string or bytes, not {}",
                particle::name(other)
            ))),
            Err(fault) => self.reject(fault),
        }
        self
    }

    /// A list.
    pub fn list<I: IntoIterator<Item: Into<Value>>>(
        self,
        at: usize,
        name: &'static str,
        items: I,
    ) -> Self {
        self.value(at, name, items.into_iter().map(Into::into).collect::<Vec<Value>>())
    }

    /// A list of sketches.
    pub fn sketches<I: IntoIterator<Item: Into<Value>>>(
        mut self,
        at: usize,
        name: &'static str,
        sketches: I,
    ) -> Self {
        let all: Vec<Value> = sketches.into_iter().map(Into::into).collect();
        if let Some(at) = all.iter().position(|it| !matches!(it, Value::Hll(_))) {
            let other = particle::name(all[at].particle_type());
            self.reject(Fault::Type(format!("{name}[{at}] must be a HyperLogLog, not {other}")));
        }
        self.value(at, name, all)
    }

    /// A map.
    pub fn map<K: Into<Value>, T: Into<Value>>(
        self,
        at: usize,
        name: &'static str,
        pairs: impl IntoIterator<Item = (K, T)>,
    ) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value.into()));
        self.value(at, name, pairs.collect::<Vec<(Value, Value)>>())
    }

    /// Bytes.
    pub fn bytes(self, at: usize, name: &'static str, bytes: impl AsRef<[u8]>) -> Self {
        self.value(at, name, bytes.as_ref())
    }

    /// A text.
    pub fn text(self, at: usize, name: &'static str, text: impl AsRef<str>) -> Self {
        self.value(at, name, text.as_ref())
    }

    /// A text, or none.
    pub fn optional_text<T: AsRef<str>>(
        self,
        at: usize,
        name: &'static str,
        text: impl Into<Option<T>>,
    ) -> Self {
        match text.into() {
            Some(text) => self.text(at, name, text),
            None => self,
        }
    }

    /// A list of texts.
    pub fn texts<I: IntoIterator<Item: AsRef<str>>>(
        self,
        at: usize,
        name: &'static str,
        texts: I,
    ) -> Self {
        let texts = texts.into_iter().map(|text| Value::from(text.as_ref()));
        self.value(at, name, texts.collect::<Vec<Value>>())
    }

    /// An integer.
    pub fn number(self, at: usize, number: i64) -> Self {
        self.with(at, Argument::Number(number))
    }

    /// An integer, or none.
    pub fn optional_number(self, at: usize, number: Option<i64>) -> Self {
        self.with(at, number.map_or(Argument::Absent, Argument::Number))
    }

    /// The operation code and the encoded value.
    pub fn encode(&self, bin: &str) -> Result<(u8, Vec<u8>), Error> {
        self.packed().map_err(|fault| bin_error(bin, &fault))
    }

    fn packed(&self) -> Result<(u8, Vec<u8>), Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.family.pack(self.name, self, self.steps()?, self.pad)
    }
}

fn missing(name: &str) -> Fault {
    Fault::Value(format!("{name} is missing"))
}

impl<V> Arguments for Call<V> {
    type Error = Fault;

    fn count(&self) -> usize {
        self.arguments.len()
    }

    fn is_absent(&self, at: usize) -> bool {
        matches!(self.arguments[at], Argument::Absent)
    }

    fn bits(&self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Fault> {
        match self.arguments[at] {
            Argument::Number(bits) => within(name, bits, bounds),
            _ => Err(missing(name)),
        }
    }

    fn flag(&self, at: usize, _: &'static str) -> Result<bool, Fault> {
        Ok(matches!(self.arguments[at], Argument::Flag(true)))
    }

    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64, Fault> {
        let Argument::Word(word) = self.arguments[at] else { return Err(missing(name)) };
        number_of(known, name, word)
    }
}

impl ValueArguments for Call<Vec<u8>> {
    // Value types are checked when they are set.
    fn packed(&self, at: usize, name: &'static str, _: ValueForm) -> Result<Vec<u8>, Fault> {
        match &self.arguments[at] {
            Argument::Value(packed) => Ok(packed.clone()),
            _ => Err(missing(name)),
        }
    }

    fn integer(&self, at: usize, name: &'static str) -> Result<i64, Fault> {
        match self.arguments[at] {
            Argument::Number(number) => Ok(number),
            _ => Err(missing(name)),
        }
    }
}

impl OperandArguments for Call<Expression> {
    fn operand(&self, at: usize, name: &'static str) -> Result<Expression, Fault> {
        match &self.arguments[at] {
            Argument::Value(operand) => Ok(operand.clone()),
            _ => Err(missing(name)),
        }
    }
}

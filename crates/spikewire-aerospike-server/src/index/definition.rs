//! What is indexed.

use spikewire_aerospike_protocol::cdt::context::{self, Create};
use spikewire_aerospike_protocol::expression::{Argument, Expression, Node, Type};
use spikewire_aerospike_protocol::query::Collection;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::key::{Key, KeyType};
use crate::cdt::container::{self, Container};
use crate::cdt::path;
use crate::expression::{Program, RecordView, Val};
use crate::record::View;
use crate::record::bins::Bin;

/// An expression whose results are indexed.
#[derive(Debug)]
pub struct IndexedExpression {
    /// Its wire form.
    pub wire: Vec<u8>,
    /// The decoded expression.
    pub program: Program,
}

impl PartialEq for IndexedExpression {
    fn eq(&self, other: &Self) -> bool {
        self.wire == other.wire
    }
}

/// Where the values of an index come from.
#[derive(Debug, PartialEq)]
pub enum Source {
    /// From a bin, or a value nested in it.
    Bin {
        /// Its name.
        name: String,
        /// The path to the nested value, in wire form.
        context: Option<Vec<u8>>,
    },
    /// From the result of an expression.
    Expression(IndexedExpression),
    /// Not from a value: every record of the set has an entry, all with the same key.
    Set,
}

/// What is indexed.
#[derive(Debug, PartialEq)]
pub struct Definition {
    /// The set's name and number; `None` = the whole namespace.
    pub set: Option<(String, u16)>,
    /// Where values come from.
    pub source: Source,
    /// Which part: the value itself, or its elements.
    pub collection: Collection,
    /// Their type.
    pub kind: KeyType,
}

impl Definition {
    /// An index of all records of a set.
    pub fn of_set(name: &str, number: u16) -> Self {
        Self {
            set: Some((name.to_owned(), number)),
            source: Source::Set,
            collection: Collection::Value,
            kind: KeyType::Int,
        }
    }

    /// Whether a record belongs to what is indexed.
    pub fn covers(&self, record: View<'_>) -> bool {
        self.set.as_ref().is_none_or(|(_, number)| *number == record.set())
    }

    /// Whether the indexed value stays the same when `new` replaces a record, as far as can be seen
    /// without decoding.
    pub fn is_unchanged(&self, old: View<'_>, new: View<'_>) -> bool {
        let same = match &self.source {
            Source::Bin { name, .. } => {
                match [old, new].map(|record| Bin::find(record.bins(), name.as_bytes())) {
                    [Some(old), Some(new)] => {
                        (old.particle, old.value) == (new.particle, new.value)
                    }
                    [old, new] => old.is_none() && new.is_none(),
                }
            }
            Source::Expression(_) => false,
            Source::Set => true,
        };
        same && old.set() == new.set()
    }

    /// Passes every indexed value of a record to `visit`.
    pub fn for_each_key(&self, view: &RecordView<'_>, visit: &mut dyn FnMut(Key<'_>)) {
        // A record without an indexed value is not an error.
        let _ = self.visit_keys(view, visit);
    }

    fn visit_keys(&self, view: &RecordView<'_>, visit: &mut dyn FnMut(Key<'_>)) -> Option<()> {
        match &self.source {
            Source::Bin { name, context: None } => {
                let bin = Bin::find(view.record?.bins(), name.as_bytes())?;
                match self.collection {
                    Collection::Value => {
                        visit(Key::of_particle(self.kind, bin.particle, bin.value)?);
                    }
                    _ if is_container(bin.particle) => self.elements(bin.value, visit),
                    _ => {}
                }
            }
            Source::Bin { name, context: Some(context) } => {
                let bin = Bin::find(view.record?.bins(), name.as_bytes())?;
                if !is_container(bin.particle) {
                    return None;
                }
                let nested = path::find(bin.value, &context::decode(context).ok()?).ok()?;
                match self.collection {
                    Collection::Value => visit(Key::of_nested(self.kind, nested)?),
                    _ => self.elements(nested, visit),
                }
            }
            Source::Set => visit(Key::Int(0)),
            Source::Expression(expression) => match expression.program.evaluate(view) {
                Val::Packed(_, bytes) if self.collection != Collection::Value => {
                    self.elements(&bytes, visit);
                }
                value if self.collection == Collection::Value => {
                    visit(Key::of_value(self.kind, &value)?);
                }
                _ => {}
            },
        }
        Some(())
    }

    /// The elements of a list or map.
    fn elements(&self, bytes: &[u8], visit: &mut dyn FnMut(Key<'_>)) {
        let Some(container) = Container::parse(bytes) else { return };
        let values = match (self.collection, container.kind) {
            (Collection::List, container::ContainerKind::List)
            | (Collection::MapValues, container::ContainerKind::Map) => &container.values,
            (Collection::MapKeys, container::ContainerKind::Map) => &container.keys,
            _ => return,
        };
        values.iter().filter_map(|value| Key::of_nested(self.kind, value)).for_each(visit);
    }
}

fn is_container(particle: u8) -> bool {
    matches!(particle, particle::LIST | particle::MAP)
}

/// Whether a path is in its shortest encoding; fails for an invalid one, or one that creates
/// containers.
pub fn is_plain_context(bytes: &[u8]) -> Result<bool, ResultCode> {
    let steps = context::decode(bytes)?;
    if steps.iter().any(|step| step.create != Create::No || step.persist) {
        return Err(ResultCode::PARAMETER);
    }
    context::is_shortest(bytes)
}

/// Whether an expression may be indexed: it depends on the record's bins or its digest, and not on
/// anything that changes without a write.
pub fn is_indexable(tree: &Expression) -> bool {
    let mut dependencies = Dependencies::default();
    dependencies.add(tree);
    dependencies.on_record && !dependencies.elsewhere
}

/// The required type of expressions for this kind and collection.
pub fn expected_type(kind: KeyType, collection: Collection) -> Type {
    match collection {
        Collection::Value => kind.value_type(),
        Collection::List => Type::List,
        Collection::MapKeys | Collection::MapValues => Type::Map,
    }
}

#[derive(Default)]
struct Dependencies {
    on_record: bool,
    elsewhere: bool,
}

impl Dependencies {
    fn add(&mut self, part: &Expression) {
        match part.node() {
            Node::Unknown | Node::Constant(_) | Node::Var(_) | Node::Loop(..) => {}
            Node::Apply(_, operands) => operands.iter().for_each(|operand| self.add(operand)),
            Node::Meta(_) | Node::Key(_) => self.elsewhere = true,
            Node::DigestModulo(_) | Node::Bin(..) | Node::BinType(_) => self.on_record = true,
            Node::Regex { on, .. } => self.add(on),
            Node::Let(definitions, scope) => {
                definitions.iter().for_each(|(_, definition)| self.add(definition));
                self.add(scope);
            }
            Node::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Expression(argument) = argument {
                        self.add(argument);
                    }
                }
                self.add(&call.on);
            }
            // What a path's filters see is in what it works on.
            Node::Path(call) => self.add(&call.on),
        }
    }
}

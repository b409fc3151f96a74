//! Filters that are text: the plan of a query, and its filter. Servers before 8.2 skip them.
//!
//! Which index is chosen depends on the filter and the indexes alone, never on the records: of the
//! terms that are joined by `and`, those that compare an indexed bin with a constant are candidates.
//! A value is preferred to a range with two ends, that to one with a single end; then an index of the
//! set to one of the namespace, then the lower name. A hint goes before all that.

use std::sync::Arc;

use spikewire_aerospike_protocol::expression::ael::read::read_filter;
use spikewire_aerospike_protocol::expression::{Constant, Expression, Node, Op, Type};
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::message::{Message, field};
use spikewire_aerospike_protocol::query::text::flag;
use spikewire_aerospike_protocol::query::{ChosenIndex, Collection, Plan, Range, TextFilter};
use spikewire_aerospike_protocol::result_code::ResultCode;

use crate::expression::Program;
use crate::index::Index;
use crate::index::definition::Source;
use crate::index::key::{KeyType, LONGEST};
use crate::reason;
use crate::storage::namespace::Namespace;

/// The text filter of a request, if it has one and servers with these features read it.
pub fn of_request<'a>(
    features: Features,
    message: &Message<'a>,
) -> Result<Option<TextFilter<'a>>, ResultCode> {
    let Some(data) = message.field(field::TEXT_FILTER) else { return Ok(None) };
    if !features.has(Features::TEXT_FILTERS) {
        return Ok(None);
    }
    if message.field(field::FILTER).is_some() {
        return Err(ResultCode::PARAMETER);
    }
    TextFilter::decode(data).map(Some).map_err(|_| ResultCode::PARAMETER)
}

/// The filter of a text.
pub fn filter(text: &str) -> Result<Arc<Program>, ResultCode> {
    let tree = read_filter(text).map_err(|_| ResultCode::PARAMETER)?;
    Program::new(tree).map(Arc::new)
}

/// The plan of a query. `set` is 0 for the whole namespace, `None` for a set without records.
pub fn plan(
    namespace: &Namespace,
    set: Option<u16>,
    text_filter: &TextFilter<'_>,
    hint: Option<&[u8]>,
) -> Result<Plan, ResultCode> {
    let tree = read_filter(text_filter.text).map_err(|_| ResultCode::PARAMETER)?;
    Program::new(tree.clone())?;
    let mut conditions = Conditions::default();
    conditions.add(&tree);
    if conditions.is_never {
        return Ok(Plan::Empty);
    }
    let list = namespace.indexes.all();
    let hint = hint.filter(|hint| !hint.is_empty());
    let is_hinted = |index: &Index| hint.is_some_and(|hint| index.name().as_bytes() == hint);
    let candidates = list.iter().filter(|index| index.is_ready()).filter_map(|index| {
        let (bin, values) = conditions.values_for(index)?;
        let own = match &index.definition.set {
            Some((_, number)) if Some(*number) == set => 0,
            Some(_) => return None,
            None => 1,
        };
        let order = (!is_hinted(index), values.ends(), own, index.name());
        Some((order, bin, values))
    });
    let chosen = candidates.min_by(|(a, ..), (b, ..)| a.cmp(b));
    let unheeded = chosen.as_ref().is_none_or(|((is_other, ..), ..)| *is_other);
    if text_filter.flags & flag::HARD_HINT != 0 && unheeded
        || text_filter.flags & flag::REQUIRE_INDEX != 0 && chosen.is_none()
    {
        return Err(reason::saying(ResultCode::INDEX_NOT_FOUND, || {
            "no index fits the query".to_owned()
        }));
    }
    Ok(match chosen {
        Some(((_, _, _, name), bin, values)) => {
            Plan::Index(ChosenIndex::new(&name, Collection::Value, &bin, &values.range()))
        }
        None => Plan::Scan,
    })
}

/// The values that a bin may have.
#[derive(Debug, Clone)]
enum Values {
    Between(i64, i64),
    Is(Range),
}

impl Values {
    /// How many ends of the range are open.
    fn ends(&self) -> u8 {
        match self {
            Self::Is(Range::Geo(_)) => 1,
            Self::Is(_) => 0,
            Self::Between(low, high) if low == high => 0,
            Self::Between(low, high) => {
                1 + u8::from(*low == i64::MIN) + u8::from(*high == i64::MAX)
            }
        }
    }

    fn range(&self) -> Range {
        match self {
            Self::Between(low, high) => Range::Int(*low, *high),
            Self::Is(range) => range.clone(),
        }
    }

    fn kind(&self) -> KeyType {
        match self {
            Self::Between(..) | Self::Is(Range::Int(..)) => KeyType::Int,
            Self::Is(Range::Str(_)) => KeyType::Str,
            Self::Is(Range::Blob(_)) => KeyType::Blob,
            Self::Is(Range::Geo(_)) => KeyType::Geo,
        }
    }
}

/// What a filter says about bins: all of it must be true.
#[derive(Debug, Default)]
struct Conditions {
    /// Integers by bin: what remains of several comparisons.
    ints: Vec<(String, i64, i64)>,
    others: Vec<(String, Range)>,
    /// Whether no record can pass.
    is_never: bool,
}

impl Conditions {
    fn add(&mut self, term: &Expression) {
        match term.node() {
            Node::Constant(Constant::Bool(false)) => self.is_never = true,
            Node::Apply(Op::And, terms) => terms.iter().for_each(|term| self.add(term)),
            Node::Apply(op, operands) => {
                if let [left, right] = &operands[..] {
                    self.compare(*op, left, right);
                }
            }
            _ => {}
        }
    }

    fn compare(&mut self, op: Op, left: &Expression, right: &Expression) {
        let (op, name, constant) = match (left.node(), right.node()) {
            (Node::Bin(_, name), Node::Constant(constant)) => (op, name, constant),
            (Node::Constant(constant), Node::Bin(_, name)) => (mirrored(op), name, constant),
            _ => return,
        };
        let Ok(name) = std::str::from_utf8(name) else { return };
        match (op, constant) {
            (_, Constant::Int(int)) => {
                let range = match op {
                    Op::Eq => Some((*int, *int)),
                    Op::Ge => Some((*int, i64::MAX)),
                    Op::Le => Some((i64::MIN, *int)),
                    Op::Gt => int.checked_add(1).map(|low| (low, i64::MAX)),
                    Op::Lt => int.checked_sub(1).map(|high| (i64::MIN, high)),
                    _ => return,
                };
                match range {
                    Some((low, high)) => self.narrow(name, low, high),
                    None => self.is_never = true,
                }
            }
            (Op::Eq, Constant::Bytes(kind, bytes)) if bytes.len() < LONGEST => {
                let range = match (kind, std::str::from_utf8(bytes)) {
                    (Type::Str, Ok(text)) => Range::Str(text.to_owned()),
                    (Type::Blob, _) => Range::Blob(bytes.clone()),
                    _ => return,
                };
                self.others.push((name.to_owned(), range));
            }
            (Op::Geo, Constant::Bytes(Type::Geo, text)) => {
                if let Ok(text) = std::str::from_utf8(text) {
                    self.others.push((name.to_owned(), Range::Geo(text.to_owned())));
                }
            }
            _ => {}
        }
    }

    fn narrow(&mut self, name: &str, low: i64, high: i64) {
        let at = self.ints.iter().position(|(known, ..)| known == name).unwrap_or_else(|| {
            self.ints.push((name.to_owned(), i64::MIN, i64::MAX));
            self.ints.len() - 1
        });
        let (_, from, to) = &mut self.ints[at];
        (*from, *to) = (low.max(*from), high.min(*to));
        self.is_never |= *from > *to;
    }

    /// The values of the bin of an index that a record must have to pass.
    fn values_for(&self, index: &Index) -> Option<(String, Values)> {
        let definition = &index.definition;
        let Source::Bin { name, context: None } = &definition.source else { return None };
        if definition.collection != Collection::Value {
            return None;
        }
        let ints = self.ints.iter().filter(|(bin, ..)| bin == name);
        let ints = ints.map(|(_, low, high)| Values::Between(*low, *high));
        let others = self.others.iter().filter(|(bin, _)| bin == name);
        let others = others.map(|(_, range)| Values::Is(range.clone()));
        let mut fitting = ints.chain(others).filter(|values| values.kind() == definition.kind);
        fitting.next().map(|values| (name.clone(), values))
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: Op) -> Op {
    match op {
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        other => other,
    }
}

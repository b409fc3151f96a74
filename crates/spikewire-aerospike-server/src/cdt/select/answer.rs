//! Results of selections.

use spikewire_aerospike_protocol::cdt::{flags, return_type as rt};
use spikewire_aerospike_protocol::error_details::Subcode;
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::super::container::{self, Container, ContainerKind};
use super::super::item;
use super::{Run, SelectResult, outside, range, single};
use crate::outcome::ReplyValue;
use crate::reason;

const NOT_APPLICABLE: ResultCode = ResultCode::OP_NOT_APPLICABLE;

/// What an operation returns of the elements of a container.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'c, 'b> {
    pub container: &'c Container<'b>,
    /// The return type, without the inverted bit.
    pub returns: i64,
    /// Whether it selects everything else instead.
    pub inverted: bool,
    /// Whether the operation may select several elements.
    pub many: bool,
}

impl<'c, 'b> Answer<'c, 'b> {
    pub fn new(container: &'c Container<'b>, returns: i64, many: bool) -> Result<Self, ResultCode> {
        let inverted = returns & rt::INVERTED != 0;
        let returns = returns & !rt::INVERTED;
        let known = matches!(returns, rt::NONE..=rt::EXISTS | rt::UNORDERED_MAP | rt::ORDERED_MAP);
        let is_keyed =
            matches!(returns, rt::KEY | rt::KEY_VALUE | rt::UNORDERED_MAP | rt::ORDERED_MAP);
        if !known || is_keyed && container.kind == ContainerKind::List {
            return Err(NOT_APPLICABLE);
        }
        Ok(Self { container, returns, inverted, many })
    }

    /// The same without the inverted bit, which has been applied.
    pub fn upright(self) -> Self {
        Self { inverted: false, ..self }
    }

    pub fn len(&self) -> usize {
        self.container.len()
    }

    pub fn is_index(&self) -> bool {
        matches!(self.returns, rt::INDEX | rt::REVERSE_INDEX)
    }

    pub fn is_rank(&self) -> bool {
        matches!(self.returns, rt::RANK | rt::REVERSE_RANK)
    }

    pub fn is_index_range(&self) -> bool {
        matches!(self.returns, rt::INDEX_RANGE | rt::REVERSE_INDEX_RANGE)
    }

    pub fn is_rank_range(&self) -> bool {
        matches!(self.returns, rt::RANK_RANGE | rt::REVERSE_RANK_RANGE)
    }

    /// Whether it returns keys, values or both.
    pub fn is_elements(&self) -> bool {
        matches!(
            self.returns,
            rt::KEY | rt::VALUE | rt::KEY_VALUE | rt::UNORDERED_MAP | rt::ORDERED_MAP
        )
    }

    fn is_reverse(&self) -> bool {
        matches!(
            self.returns,
            rt::REVERSE_INDEX | rt::REVERSE_RANK | rt::REVERSE_INDEX_RANGE | rt::REVERSE_RANK_RANGE
        )
    }

    /// Rejects the operation if that is so.
    #[expect(clippy::unused_self, reason = "a rule of the answer, like the others")]
    pub fn reject_if(&self, condition: bool) -> Result<(), ResultCode> {
        if condition { Err(NOT_APPLICABLE) } else { Ok(()) }
    }

    /// Rejects one element that is inverted.
    pub fn reject_inverted_single(&self) -> Result<(), ResultCode> {
        self.reject_if(self.inverted && !self.many)
    }

    /// The existing elements of a range of indexes or ranks. A single one must exist; the reason
    /// that it does not is `why`.
    pub fn window(&self, start: i64, count: Option<i64>, why: Subcode) -> Result<Run, ResultCode> {
        if self.many {
            return Ok(range(start, count, self.len()));
        }
        single(start, self.len()).map(|at| (at, 1)).ok_or_else(|| reason::of(why))
    }

    /// The result where nothing is selected.
    pub fn nothing(&self, start: i64) -> SelectResult {
        let answer = match self.returns {
            rt::NONE => None,
            rt::COUNT => Some(ReplyValue::count(0)),
            rt::EXISTS => Some(flag(false)),
            _ if self.is_index_range() || self.is_rank_range() => {
                Some(int_list([start, 0].into_iter()))
            }
            rt::KEY | rt::VALUE if !self.many => None,
            _ if self.is_elements() => self.pairs_or_list(&[]),
            _ => self.each(std::iter::empty()),
        };
        SelectResult { indexes: Vec::new(), answer }
    }

    /// The result for all elements of one or two runs of indexes.
    pub fn runs(&self, runs: &[Run]) -> Result<SelectResult, ResultCode> {
        let indexes: Vec<usize> =
            runs.iter().flat_map(|(start, count)| *start..start + count).collect();
        let answer = match (self.returns, runs) {
            (rt::NONE, _) => None,
            _ if self.is_elements() => self.elements(&indexes),
            (_, [(start, count)]) => self.span(*start, *count)?,
            (rt::COUNT, _) => Some(ReplyValue::count(indexes.len())),
            (rt::EXISTS, _) => Some(flag(!indexes.is_empty())),
            _ if self.is_index() || self.is_rank() => self.blocks(runs),
            _ => return Err(NOT_APPLICABLE),
        };
        Ok(SelectResult { indexes, answer })
    }

    /// The result for a run of indexes or ranks, or for everything else, where the elements
    /// themselves are not returned.
    pub fn span(&self, start: usize, count: usize) -> Result<Option<ReplyValue>, ResultCode> {
        let len = self.len();
        Ok(match self.returns {
            rt::NONE => None,
            rt::COUNT => Some(ReplyValue::count(if self.inverted { len - count } else { count })),
            // Servers answer for what is excluded, not for what is selected.
            rt::EXISTS => Some(flag((count == 0) == self.inverted)),
            _ if self.is_index_range() || self.is_rank_range() => {
                self.reject_if(self.inverted)?;
                let start = if self.is_reverse() { len - start - count } else { start };
                Some(int_list([start as i64, count as i64].into_iter()))
            }
            _ if !self.is_index() && !self.is_rank() => return Err(NOT_APPLICABLE),
            _ if !self.many => self.each((count > 0).then_some(start).into_iter()),
            _ if self.inverted => {
                let end = start + count;
                self.blocks(&[(0, start), (end, len - end)])
            }
            _ => self.blocks(&[(start, count)]),
        })
    }

    /// Indexes or ranks of runs. Counted from the end, each run still ascends.
    #[expect(clippy::unnecessary_wraps, reason = "other return types have no result")]
    pub fn blocks(&self, runs: &[Run]) -> Option<ReplyValue> {
        let len = self.len();
        let numbers = runs.iter().flat_map(|(start, count)| {
            let start = if self.is_reverse() { len - start - count } else { *start };
            start..start + count
        });
        let numbers: Vec<i64> = numbers.map(|number| number as i64).collect();
        Some(int_list(numbers.into_iter()))
    }

    /// Indexes or ranks, each counted from the end if that is asked for.
    #[expect(clippy::unnecessary_wraps, reason = "other return types have no result")]
    pub fn each(&self, numbers: impl Iterator<Item = usize>) -> Option<ReplyValue> {
        let last = self.len() as i64 - 1;
        let mut numbers = numbers
            .map(|number| if self.is_reverse() { last - number as i64 } else { number as i64 });
        if !self.many {
            return Some(ReplyValue::int(numbers.next().unwrap_or(-1)));
        }
        let numbers: Vec<i64> = numbers.collect();
        Some(int_list(numbers.into_iter()))
    }

    /// The number of elements, whether there are any, or the elements themselves by index: what
    /// does not depend on the way of selecting. `None` for other return types.
    #[expect(clippy::option_option, reason = "a result may be absent")]
    pub fn plain(&self, indexes: &[usize]) -> Option<Option<ReplyValue>> {
        match self.returns {
            rt::NONE => Some(None),
            rt::COUNT => Some(Some(ReplyValue::count(indexes.len()))),
            rt::EXISTS => Some(Some(flag(!indexes.is_empty()))),
            _ if self.is_elements() => Some(self.elements(indexes)),
            _ => None,
        }
    }

    /// Keys, values or both, in this order.
    pub fn elements(&self, order: &[usize]) -> Option<ReplyValue> {
        let is_item = matches!(self.returns, rt::KEY | rt::VALUE);
        if is_item && !self.many {
            return item::reply_value(self.items()[*order.first()?]);
        }
        self.pairs_or_list(order)
    }

    fn items(&self) -> &'c [&'b [u8]] {
        if self.returns == rt::KEY { &self.container.keys } else { &self.container.values }
    }

    #[expect(clippy::unnecessary_wraps, reason = "other return types have no result")]
    fn pairs_or_list(&self, order: &[usize]) -> Option<ReplyValue> {
        let flags = match self.returns {
            rt::KEY | rt::VALUE => {
                let items = self.items();
                let value = container::encode(ContainerKind::List, 0, order.len(), |at| {
                    (None, items[order[at]])
                });
                return Some(ReplyValue { particle: particle::LIST, value });
            }
            rt::KEY_VALUE => flags::PRESERVE_ORDER,
            rt::ORDERED_MAP => flags::ORDERED,
            _ => 0,
        };
        let (keys, values) = (&self.container.keys, &self.container.values);
        let value = container::encode(ContainerKind::Map, flags, order.len(), |at| {
            (Some(keys[order[at]]), values[order[at]])
        });
        Some(ReplyValue { particle: particle::MAP, value })
    }

    /// The runs that are selected: this one, or everything else.
    pub fn selected(&self, run: Run) -> Vec<Run> {
        if self.inverted { outside(run, self.len()) } else { vec![run] }
    }
}

fn flag(flag: bool) -> ReplyValue {
    ReplyValue { particle: particle::BOOL, value: vec![u8::from(flag)] }
}

fn int_list(ints: impl ExactSizeIterator<Item = i64>) -> ReplyValue {
    let mut value = Vec::with_capacity(5 + ints.len());
    msgpack::array(&mut value, ints.len() as u32);
    ints.for_each(|int| msgpack::int(&mut value, int));
    ReplyValue { particle: particle::LIST, value }
}

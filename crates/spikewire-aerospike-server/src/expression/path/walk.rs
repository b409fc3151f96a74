//! The elements that each step of a path names.

use spikewire_aerospike_protocol::cdt::context::{At, Inside};
use spikewire_aerospike_protocol::cdt::{Step, elements};
use spikewire_aerospike_protocol::expression::{Expression, PathAction, PathOperation, PathStep};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::element::Element;
use crate::cdt::container::{Container, ContainerKind};
use crate::cdt::item::{self, compare};
use crate::cdt::select::{of_rank, single};
use crate::expression::budget::Budget;
use crate::expression::{Program, Val};

/// Most levels that paths, and the paths in their filters, are in at a time.
const LEVELS: usize = 256;

/// Evaluates an expression about an element.
type Evaluate =
    for<'e> fn(&'e Program, &'e Expression, Element<'e>, Budget, usize) -> (Val<'e>, Budget);

/// What the expressions of a path need.
pub struct Judge<'j> {
    /// The patterns in them.
    pub program: &'j Program,
    /// Evaluates them.
    pub evaluate: Evaluate,
    /// What may still be read and made.
    pub budget: &'j mut Budget,
    /// The levels of the paths around this one.
    pub levels: usize,
}

/// A path on its way through a list or map.
pub struct Walk<'p, 'j> {
    /// Steps, each with the filter that follows it.
    steps: Vec<(&'p PathStep, Option<&'p Expression>)>,
    /// What is done at its end.
    pub action: &'p PathAction,
    /// Whether elements that something fails on are skipped.
    pub no_fail: bool,
    judge: &'p mut Judge<'j>,
}

impl<'p, 'j> Walk<'p, 'j> {
    /// A path that begins.
    pub fn new(operation: &'p PathOperation, judge: &'p mut Judge<'j>) -> Self {
        let mut steps: Vec<(&PathStep, Option<&Expression>)> = Vec::new();
        for step in &operation.steps {
            match (step, steps.last_mut()) {
                (PathStep::And(filter), Some(last)) => last.1 = filter.as_ref(),
                _ => steps.push((step, step.filter())),
            }
        }
        Self { steps, action: &operation.action, no_fail: operation.no_fail, judge }
    }

    /// Whether the elements at this level are at the end of the path.
    pub fn is_last(&self, level: usize) -> bool {
        level + 1 == self.steps.len()
    }

    /// Acts on the indexes of the elements that the step at `level` names, in ascending order. What
    /// an element leads to comes before the filter of the next element: the first fault counts.
    ///
    /// Nothing is in an empty list or map, whatever the step.
    pub fn each(
        &mut self,
        container: &Container<'_>,
        level: usize,
        mut act: impl FnMut(&mut Self, usize) -> Result<(), ResultCode>,
    ) -> Result<(), ResultCode> {
        if container.is_empty() {
            return Ok(());
        }
        if self.judge.levels + level >= LEVELS {
            return Err(ResultCode::PARAMETER);
        }
        let (step, filter) = self.steps[level];
        let named = match step {
            PathStep::At(step) => self.at(container, step)?,
            PathStep::KeysIn(keys) => keys_in(container, keys)?,
            PathStep::Children(_) | PathStep::And(_) => (0..container.len()).collect(),
        };
        // Of the one element at a place, what is not known is not true.
        let skips = self.no_fail || is_place(step);
        for at in named {
            let passes = match filter {
                None => true,
                Some(filter) => match self.judged(filter, Element::of(container, at), level) {
                    Val::Unknown if !skips => return Err(ResultCode::PARAMETER),
                    value => value == Val::Bool(true),
                },
            };
            if passes {
                act(self, at)?;
            }
        }
        Ok(())
    }

    /// The value of an expression about an element at `level`.
    pub fn judged<'e>(&mut self, part: &'e Expression, of: Element<'e>, level: usize) -> Val<'e>
    where
        'j: 'e,
    {
        let levels = self.judge.levels + level + 1;
        let budget = std::mem::take(self.judge.budget);
        let (value, budget) = (self.judge.evaluate)(self.judge.program, part, of, budget, levels);
        *self.judge.budget = budget;
        value
    }

    fn at(
        &self,
        container: &Container<'_>,
        step: &Step<Vec<u8>>,
    ) -> Result<Vec<usize>, ResultCode> {
        let len = container.len();
        match (step.inside, container.kind) {
            (Inside::List, ContainerKind::Map) | (Inside::Map, ContainerKind::List) => {
                return Err(ResultCode::PARAMETER);
            }
            _ => {}
        }
        let one = match &step.at {
            At::Index(index) => single(*index, len),
            At::Rank(rank) => single(*rank, len).map(|rank| of_rank(container, rank)),
            At::Key(_) if container.kind == ContainerKind::List && self.no_fail => None,
            At::Key(_) if container.kind == ContainerKind::List => {
                return Err(ResultCode::PARAMETER);
            }
            // The first key that equals it: a wildcard equals any.
            At::Key(key) => {
                let key = item::sought(key)?;
                container.keys.iter().position(|other| compare(other, key).is_eq())
            }
            At::Value(value) => {
                let value = item::sought(value)?;
                let equal = |at: &usize| compare(container.values[*at], value).is_eq();
                return Ok((0..len).filter(equal).collect());
            }
        };
        Ok(one.into_iter().collect())
    }
}

/// Whether a step names an element by its index or rank.
fn is_place(step: &PathStep) -> bool {
    matches!(step, PathStep::At(Step { at: At::Index(_) | At::Rank(_), .. }))
}

/// The entries of a map with one of these keys.
fn keys_in(container: &Container<'_>, keys: &[u8]) -> Result<Vec<usize>, ResultCode> {
    if container.kind == ContainerKind::List {
        return Err(ResultCode::PARAMETER);
    }
    let keys = elements(keys).ok().flatten().ok_or(ResultCode::PARAMETER)?;
    let find = |key: &&[u8]| item::stored(key).ok().and_then(|key| container.find_key(&key).ok());
    let mut named: Vec<usize> = keys.iter().filter_map(find).collect();
    named.sort_unstable();
    named.dedup();
    Ok(named)
}

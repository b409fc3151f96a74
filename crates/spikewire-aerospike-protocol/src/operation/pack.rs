//! Operations of `operate`: arguments become bytes.

use super::{ArgumentConverter, Family, ValueArguments, ValueForm, Words, within};
use crate::cdt::context::{self, At, Inside};
use crate::cdt::{Argument, Step};
use crate::expression::Fault;
use crate::strings::LARGEST;

impl Family {
    /// The code and the encoding of the operation with this name, on the list or map at `path`, or
    /// on the bin itself. `pad`: a list created by `create` is filled up to its index.
    pub fn pack<A: ValueArguments, S: Argument>(
        self,
        name: &str,
        arguments: &A,
        mut path: Vec<Step<S>>,
        pad: bool,
    ) -> Result<(u8, Vec<u8>), A::Error> {
        let composed = self.compose(name, &mut Packing(arguments))?;
        self.check_path(name, &path)?;
        if self == Self::String {
            composed.check_string(!path.is_empty())?;
        }
        match composed.order() {
            Some(order) if name == "create" => context::create_last(&mut path, order, pad)?,
            _ if pad => return Err(self.takes_no(name, "pad").into()),
            _ => {}
        }
        let mut out = Vec::with_capacity(32);
        composed.encode(&path, &mut out);
        Ok((composed.code(), out))
    }

    /// Rejects an invalid path, and a path for an operation that cannot have one.
    pub(super) fn check_path<S>(self, name: &str, path: &[Step<S>]) -> Result<(), Fault> {
        let takes_path = match self {
            Self::List | Self::Map => true,
            Self::String => name != "to_text",
            Self::Bit | Self::Hll => false,
        };
        if !path.is_empty() && !takes_path {
            return Err(self.takes_no(name, "ctx"));
        }
        context::check(path)
    }

    /// The fault for an option that an operation does not have.
    pub fn takes_no(self, name: &str, option: &str) -> Fault {
        Fault::of_value(format!("the {} operation {name} takes no {option}", self.name()))
    }
}

/// The step of a path that the function of this name makes of its first argument. `order` is that
/// of a list or map that is created where it is missing, `pad` fills such a list up to its index.
pub fn pack_step<A: ValueArguments>(
    name: &str,
    arguments: &A,
    order: Option<&str>,
    pad: bool,
    persist: bool,
) -> Result<Step<Vec<u8>>, A::Error> {
    let (inside, what) = match name.split_once('_') {
        Some(("list", what)) => (Inside::List, what),
        Some(("map", what)) => (Inside::Map, what),
        _ => (Inside::Either, name),
    };
    let at = match what.strip_suffix("_create").unwrap_or(what) {
        "index" => At::Index(arguments.integer(0, "index")?),
        "rank" => At::Rank(arguments.integer(0, "rank")?),
        "value" => At::Value(arguments.packed(0, "value", ValueForm::Any)?),
        "key" if inside == Inside::Map => At::Key(arguments.packed(0, "key", ValueForm::Key)?),
        _ => return Err(Fault::of_value(format!("unknown step {name:?}")).into()),
    };
    let step = Step { persist, ..Step::new(inside, at) };
    let step = match order {
        None if !pad => step,
        order => step.ordered(order.unwrap_or_default(), pad)?,
    };
    step.check()?;
    Ok(step)
}

/// Packs a host's arguments.
struct Packing<'a, A>(&'a A);

impl<A: ValueArguments> ArgumentConverter for Packing<'_, A> {
    type Value = Vec<u8>;
    type Number = i64;
    type Error = A::Error;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.0.is_absent(at)
    }

    fn value(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Any)
    }

    fn key(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Key)
    }

    fn list(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::List)
    }

    fn map(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Map)
    }

    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Bytes)
    }

    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Sketches)
    }

    fn text(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Text)
    }

    fn texts(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, A::Error> {
        self.0.packed(at, name, ValueForm::Texts)
    }

    fn place(&mut self, at: usize, name: &'static str) -> Result<i64, A::Error> {
        Ok(within(name, self.0.integer(at, name)?, (-LARGEST, LARGEST))?)
    }

    fn number(&mut self, at: usize, name: &'static str) -> Result<i64, A::Error> {
        self.0.integer(at, name)
    }

    fn bits(&mut self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, A::Error> {
        self.0.bits(at, name, bounds)
    }

    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, A::Error> {
        self.0.flag(at, name)
    }

    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, A::Error> {
        self.0.word(at, name, known)
    }

    fn is_empty(&self, list: &Vec<u8>) -> bool {
        *list == [0x90]
    }
}

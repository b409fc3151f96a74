//! Filters and operations from expressions and text.

use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use spikewire_aerospike::query::FilterSource;
use spikewire_aerospike_protocol::expression::text::{self, TextError};
use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault};

use super::{operand, unwrap};
use crate::aerospike::calls::elements;
use crate::aerospike::calls::encoded::Form;
use crate::arguments;
use crate::errors::kind_name;
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Type, Value};

/// The option `where` of verbs: an expression or a text. JavaScript has already converted an array
/// of a text and its parameters to an expression.
pub fn filter(value: Value<'_>) -> Result<Arc<[u8]>> {
    filter_bytes(value).map_err(|failure| failure.about("where"))
}

fn filter_bytes(value: Value<'_>) -> Result<Arc<[u8]>> {
    if value.kind() == Type::String {
        let source = value.text()?.unwrap_or_default();
        let read = || Ok(read_text(&source, &[], text::parse_filter)?.filter()?);
        return cached(0, source.as_bytes(), read);
    }
    match Form::Expression.unwrap(value)? {
        Some(image) => cached(1, &image, || Ok(Tree::from_image(&image)?.filter()?)),
        None => Err(no_expression(value)),
    }
}

/// The bytes of a query's filter, and what it was made from. `is_text`: an expression that was a
/// text with parameters.
pub fn query_filter(value: Value<'_>, is_text: bool) -> Result<(Vec<u8>, FilterSource)> {
    let read = || {
        let tree = match (value.kind(), is_text) {
            (Type::String, _) => {
                read_text(&value.text()?.unwrap_or_default(), &[], text::parse_filter)?
            }
            (_, true) => whole(Form::Expression.unwrap(value)?)?,
            _ => return Ok((filter_bytes(value)?.to_vec(), FilterSource::Compiled)),
        };
        let filter = tree.filter()?;
        // Only a whole filter says the types of bins that it uses as bools.
        let tree = Tree::decode(&filter)?;
        Ok((filter, FilterSource::of_text(&tree)))
    };
    read().map_err(|failure: Failure| failure.about("where"))
}

/// The bytes of an operation that reads or writes the value of an expression. Accepts what
/// [`filter`] accepts, and an array of a text and its parameters.
pub fn operation_bytes(hooks: &Hooks, value: Value<'_>, flags: i64) -> Result<Vec<u8>> {
    Ok(tree_of(hooks, value)?.operation(flags)?)
}

/// The bytes of an expression by itself, as they identify an index on it. Accepts what
/// [`operation_bytes`] accepts.
pub fn plain_bytes(hooks: &Hooks, value: Value<'_>) -> Result<Vec<u8>> {
    Ok(tree_of(hooks, value)?.of_record()?)
}

/// A filter of the elements of a path. Accepts what [`operation_bytes`] accepts.
pub(super) fn element_filter(hooks: &Hooks, value: Value<'_>) -> Result<Tree> {
    tree_by(hooks, value, text::parse_element_filter)
}

/// The new value of an element of a path. Accepts what [`operation_bytes`] accepts.
pub(super) fn element_value(hooks: &Hooks, value: Value<'_>) -> Result<Tree> {
    tree_by(hooks, value, text::parse_element)
}

/// Parses a text with its parameters.
pub(super) type Parse = fn(&str, &[Tree]) -> std::result::Result<Tree, TextError>;

fn tree_of(hooks: &Hooks, value: Value<'_>) -> Result<Tree> {
    tree_by(hooks, value, text::parse)
}

fn tree_by(hooks: &Hooks, value: Value<'_>, parse: Parse) -> Result<Tree> {
    if let Some(tree) = unwrap(value)? {
        return Ok(tree);
    }
    if value.kind() == Type::String {
        return read_text(&value.text()?.unwrap_or_default(), &[], parse);
    }
    if value.is_array() {
        return text_with(hooks, &elements(value)?, parse);
    }
    Err(no_expression(value))
}

fn no_expression(value: Value<'_>) -> Failure {
    Failure::of_type(format!(
        "an expression is an Expression, a string, or an array of a string and its parameters, \
         not {}",
        kind_name(value)
    ))
}

/// Decodes an expression.
pub(super) fn whole(image: Option<Vec<u8>>) -> Result<Tree> {
    let image = image.ok_or_else(|| Failure::of_type("that is no expression"))?;
    Ok(Tree::from_image(&image)?)
}

/// Parses a text with its parameters; `?0` stands for the first one.
pub(super) fn text_with(hooks: &Hooks, parts: &[Value<'_>], parse: Parse) -> Result<Tree> {
    let source = match parts.first() {
        Some(first) => arguments::text("the text of an expression", *first)?,
        None => return Err(Failure::of_type("an empty array is no expression")),
    };
    let parameter =
        |(at, value): (usize, &Value<'_>)| operand(hooks, &format!("the parameter ?{at}"), *value);
    let parameters = parts[1..].iter().enumerate().map(parameter).collect::<Result<Vec<_>>>()?;
    read_text(&source, &parameters, parse)
}

fn read_text(source: &str, parameters: &[Tree], parse: Parse) -> Result<Tree> {
    parse(source, parameters).map_err(|error| text_failure(source, &error))
}

fn text_failure(source: &str, error: &TextError) -> Failure {
    let place = format!("\n{}", error.excerpt(source)).replace('\n', "\n    ");
    let message = |why: &str| format!("{why} ({}){place}", error.place(source));
    match &error.fault {
        Fault::Type(why) => Failure::of_type(message(why)),
        Fault::Value(why) => Failure::of_range(message(why)),
    }
}

/// The number of filters cached per thread.
const SLOTS: usize = 64;
/// Longer ones are not cached.
const LONGEST: usize = 1024;

/// A cache entry: the kind of the source, the source, and the filter's bytes.
type CacheEntry = Option<(u8, Vec<u8>, Arc<[u8]>)>;

thread_local! {
    static FILTERS: RefCell<Vec<CacheEntry>> =
        RefCell::new(std::iter::repeat_with(|| None).take(SLOTS).collect());
}

/// The bytes of a filter, cached; `make` produces them the first time. `of` distinguishes texts
/// from expressions.
fn cached(of: u8, source: &[u8], make: impl FnOnce() -> Result<Vec<u8>>) -> Result<Arc<[u8]>> {
    if source.len() > LONGEST {
        return Ok(make()?.into());
    }
    let slot = FxBuildHasher.hash_one((of, source)) as usize % SLOTS;
    let known = FILTERS.with_borrow(|filters| match &filters[slot] {
        Some((known, from, bytes)) if *known == of && from == source => Some(bytes.clone()),
        _ => None,
    });
    if let Some(bytes) = known {
        return Ok(bytes);
    }
    let bytes: Arc<[u8]> = make()?.into();
    let entry = Some((of, source.to_vec(), bytes.clone()));
    FILTERS.with_borrow_mut(|filters| filters[slot] = entry);
    Ok(bytes)
}

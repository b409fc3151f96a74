//! The language in which servers from 8.2 on read expressions as text: AEL, the Aerospike
//! Expression Language.
//!
//! It has the grammar of the dialect of [`super::text`], which is compiled here and so works with
//! every server, but patterns and what some methods give differ. An expression therefore becomes
//! AEL only as a whole and only from its checked tree ([`Expression::ael`]): each construct
//! has to have one form that means the same to a server, else there is none.
//!
//! | what | AEL |
//! |---|---|
//! | bins | `$.age`, `$."a name"`; with a type unless a constant beside it says it |
//! | into lists and maps | `.key`, `."a key"`, `.[0]`: one element by its text key or index |
//! | constants | `25 -2.5 true 'text' X'C0FFEE'`, `geoJson('…')` where places are compared, `[1, 2]` behind `in` |
//! | logic | `and or not(…) exclusive(…)`, comparisons, `in`, `geoCompare(…)`, `.exists()` of a bin |
//! | numbers | `+ - * / % **`, `abs min max floor ceil log`, `.toInt() .toFloat()`, bits |
//! | others | `when`, `let`, `.toString()`, what is known about the record |
//!
//! Everything else has no form in common, [`NoAel`] says what: patterns (POSIX here, ICU there),
//! maps, `nil`, paths to several elements, methods of strings, lists, maps and sketches, `unknown`,
//! the key, particle types.
//!
//! | module | what it holds |
//! |---|---|
//! | `write`, `path`, `name` | AEL from an expression |
//! | [`read`] | an expression from AEL, as far as the embedded cluster knows it |

mod name;
mod path;
pub mod read;
#[cfg(test)]
mod tests;
mod write;

use super::Expression;

/// Longest text that servers accept, in bytes.
pub const LONGEST: usize = 1 << 20;

/// Which part of an expression has no form in AEL that means the same.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} has no form that means the same to a server")]
pub struct NoAel(pub &'static str);

impl Expression {
    /// The expression in AEL.
    ///
    /// ```
    /// use spikewire_aerospike_protocol::expression::{Expression, text::parse};
    /// use spikewire_aerospike_protocol::value::Value;
    ///
    /// let name = Expression::try_from(&Value::Str("O'Neil".to_owned()))?;
    /// let filter = parse("$.age >= ?0 and $.name == ?1", &[18.into(), name])?;
    /// assert_eq!(filter.ael()?, r"$.age >= 18 and $.name == 'O\'Neil'");
    /// assert!(parse("$.name =~ /^a/", &[])?.ael().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ael(&self) -> Result<String, NoAel> {
        let text = write::whole(self)?;
        if text.len() > LONGEST { Err(NoAel("a text this long")) } else { Ok(text) }
    }
}

//! Which operations of the rows of a batch have results.

use std::borrow::Borrow;

/// Which operations of each row have a result of their own, for rows that consist of operations.
/// `S` says so for all rows alike, `R` for one of many that differ; both stand for the same type.
#[derive(Debug)]
pub enum ResultFlags<S, R = S> {
    /// No row consists of operations.
    None,
    /// All rows have the same operations.
    Same(S),
    /// Each row has its own operations, or none.
    Each(Vec<Option<R>>),
}

impl<S, R> ResultFlags<S, R> {
    /// The flags of a row; `None` if it does not consist of operations.
    #[inline]
    pub fn of<T: ?Sized>(&self, row: usize) -> Option<&T>
    where
        S: Borrow<T>,
        R: Borrow<T>,
    {
        match self {
            Self::None => None,
            Self::Same(flags) => Some(flags.borrow()),
            Self::Each(rows) => rows[row].as_ref().map(Borrow::borrow),
        }
    }
}

impl<S, R> From<Option<S>> for ResultFlags<S, R> {
    fn from(flags: Option<S>) -> Self {
        flags.map_or(Self::None, Self::Same)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn rows_have_flags_of_their_own_or_those_of_all() {
        type Flags = ResultFlags<Vec<bool>, Arc<[bool]>>;
        assert_eq!(Flags::None.of(3), None::<&[bool]>);
        assert_eq!(Flags::Same(vec![true, false]).of(3), Some(&[true, false][..]));
        let each = Flags::Each(vec![None, Some([true].into())]);
        assert_eq!(each.of(0), None::<&[bool]>);
        assert_eq!(each.of(1), Some(&[true][..]));
    }
}

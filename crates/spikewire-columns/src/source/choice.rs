//! Which columns of a table become the key and the bins, or the parameters of a statement.

use crate::error::ColumnError;

/// The columns of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordColumns {
    /// The index of the key column, and those of the others, in the order of the bins.
    pub numbers: Vec<usize>,
    /// Pairs of column and bin.
    pub bins: Vec<(String, String)>,
}

/// Selects columns. `selected` has pairs of column and bin; by default, all columns but the key's
/// become bins of their names. `check` checks a pair.
pub fn record_columns<E: From<ColumnError>>(
    names: &[&str],
    key: &str,
    selected: Option<Vec<(String, String)>>,
    check: impl Fn(&str, &str) -> Result<(), E>,
) -> Result<RecordColumns, E> {
    let mut numbers = vec![find(names, key)?];
    let others = || names.iter().filter(|name| **name != key);
    let selected =
        selected.unwrap_or_else(|| others().map(|name| ((*name).into(), (*name).into())).collect());
    let mut bins: Vec<(String, String)> = Vec::with_capacity(selected.len());
    for (column, bin) in selected {
        numbers.push(find(names, &column)?);
        check(&column, &bin)?;
        if bins.iter().any(|(_, other)| *other == bin) {
            return Err(ColumnError::value(format!("two columns go to the bin {bin:?}")).into());
        }
        bins.push((column, bin));
    }
    if bins.is_empty() {
        let message = "bins must not be empty: there is no column but the key's";
        return Err(ColumnError::value(message).into());
    }
    Ok(RecordColumns { numbers, bins })
}

/// The index of the column with a name, of which there must be one.
fn find(names: &[&str], name: &str) -> Result<usize, ColumnError> {
    let mut same = names.iter().enumerate().filter(|(_, known)| **known == name);
    match (same.next(), same.next()) {
        (Some((at, _)), None) => Ok(at),
        (Some(_), Some(_)) => Err(ColumnError::value(format!("there are two columns {name:?}"))),
        _ => Err(ColumnError::value(format!(
            "there is no column {name:?}; there are: {}",
            names.join(", ")
        ))),
    }
}

/// The column of each parameter. A column without a parameter is an error.
pub fn parameter_columns(parameters: &[&str], names: &[&str]) -> Result<Vec<usize>, ColumnError> {
    let mut columns = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        let mut same = names.iter().enumerate().filter(|(_, name)| *name == parameter);
        columns.push(match (same.next(), same.next()) {
            (Some((at, _)), None) => at,
            (Some(_), Some(_)) => {
                return Err(ColumnError::value(format!("there are two columns {parameter:?}")));
            }
            _ => {
                return Err(ColumnError::value(format!(
                    "there is no column for parameter {parameter:?}; there are: {}",
                    names.join(", ")
                )));
            }
        });
    }
    if let Some(at) = (0..names.len()).find(|at| !columns.contains(at)) {
        return Err(ColumnError::value(format!(
            "no parameter {:?}, which is a column of the table; there are: {}",
            names[at],
            parameters.join(", ")
        )));
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(
        names: &[&str],
        key: &str,
        bins: Option<&[(&str, &str)]>,
    ) -> Result<RecordColumns, ColumnError> {
        let owned = |(column, bin): &(&str, &str)| (String::from(*column), String::from(*bin));
        let selected = bins.map(|bins| bins.iter().map(owned).collect());
        record_columns(names, key, selected, |_, _| Ok(()))
    }

    #[test]
    fn columns_become_key_and_bins() {
        let all = choose(&["a", "id", "b"], "id", None).unwrap();
        assert_eq!(all.numbers, [1, 0, 2]);
        assert_eq!(all.bins[1], ("b".into(), "b".into()));
        let some = choose(&["a", "id", "b"], "id", Some(&[("b", "c")])).unwrap();
        assert_eq!((some.numbers, some.bins), (vec![1, 2], vec![("b".into(), "c".into())]));
    }

    #[test]
    fn unclear_choices_are_errors() {
        let message = |chosen: Result<RecordColumns, ColumnError>| chosen.unwrap_err().message;
        let missing = message(choose(&["a", "b"], "id", None));
        assert_eq!(missing, "there is no column \"id\"; there are: a, b");
        assert_eq!(message(choose(&["a", "a"], "a", None)), "there are two columns \"a\"");
        assert!(message(choose(&["a"], "a", None)).starts_with("bins must not be empty"));
        let twice = message(choose(&["a", "b", "c"], "a", Some(&[("b", "x"), ("c", "x")])));
        assert_eq!(twice, "two columns go to the bin \"x\"");
    }

    #[test]
    fn columns_match_parameters_by_name() {
        assert_eq!(parameter_columns(&["a", "b"], &["b", "a"]).unwrap(), [1, 0]);
        for (parameters, names) in [(["a", "b"], ["a", "c"]), (["a", "a"], ["a", "b"])] {
            assert!(parameter_columns(&parameters, &names).is_err());
        }
        assert!(parameter_columns(&["a"], &["a", "a"]).is_err());
    }
}

//! What a batch does to the records of its rows, for the rows of every client.

use spikewire_aerospike_protocol::batch::Kind;

use crate::command::{
    BinSelection, CommandDefaults, CommandSpec, Function, InvalidArgument, OperationRef,
    Operations, ReadOptions, ReadRules, WriteOptions,
};

type Checked<T = ()> = Result<T, InvalidArgument>;

/// What is done to the record of a row, or to those of many rows alike.
#[derive(Debug)]
pub struct RowCommand<W> {
    /// All but its operations.
    pub spec: CommandSpec,
    /// Which of its operations have results; `None` if it does not consist of operations.
    pub answered: Option<Vec<bool>>,
    /// Writes its operations.
    pub write: W,
}

impl RowCommand<()> {
    /// A read of all bins, or of those with these names.
    pub fn get<N: AsRef<str>>(
        defaults: &CommandDefaults,
        options: &ReadOptions,
        (selection, names): (BinSelection, Vec<N>),
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<N>>> {
        let spec = CommandSpec::get(defaults, options, selection)?;
        let write =
            move |row: &mut Kind| names.iter().try_for_each(|name| row.read_bin(name.as_ref()));
        Ok(RowCommand { spec, answered: None, write })
    }

    /// A check whether the record exists.
    pub fn exists(
        defaults: &CommandDefaults,
        options: &ReadOptions,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<>>> {
        Ok(Self::plain(CommandSpec::exists(defaults, options)?))
    }

    /// A delete.
    pub fn delete(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<>>> {
        Ok(Self::plain(CommandSpec::delete(defaults, options)?))
    }

    fn plain(spec: CommandSpec) -> RowCommand<impl Fn(&mut Kind) -> Checked + use<>> {
        RowCommand { spec, answered: None, write: |_: &mut Kind| Ok(()) }
    }

    /// A call of a function; `alike`: for all rows of the batch.
    pub fn apply<'a>(
        defaults: &CommandDefaults,
        options: &WriteOptions,
        function: &'a Function,
        alike: bool,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<'a>>> {
        let compose = if alike { CommandSpec::apply_many } else { CommandSpec::apply };
        let spec = compose(defaults, options)?;
        let write = move |row: &mut Kind| {
            row.call(function);
            Ok(())
        };
        Ok(RowCommand { spec, answered: Some(vec![true]), write })
    }

    /// Operations that read, write or both; see [`CommandSpec::operate`].
    pub fn operate<'a, I: Iterator<Item = OperationRef<'a>> + Clone>(
        defaults: &CommandDefaults,
        options: &WriteOptions,
        rules: &ReadRules,
        steps: I,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<'a, I>>> {
        let (spec, answered) = CommandSpec::operate(defaults, options, rules, steps.clone())?;
        let write = move |row: &mut Kind| {
            steps.clone().for_each(|step| row.step(step));
            Ok(())
        };
        Ok(RowCommand { spec, answered: Some(answered), write })
    }

    /// The operations of a row that writes: at least one of them does.
    pub fn write_operations<'a, I: Iterator<Item = OperationRef<'a>> + Clone>(
        defaults: &CommandDefaults,
        options: &WriteOptions,
        steps: I,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<'a, I>>> {
        let command = Self::operate(defaults, options, &ReadRules::default(), steps)?;
        if !command.spec.write {
            return Err(invalid("operations of a Write must write: use Read for these"));
        }
        Ok(command)
    }

    /// The operations of a row that reads, which has them instead of bins: none of them writes.
    pub fn read_operations<'a, I: Iterator<Item = OperationRef<'a>> + Clone>(
        defaults: &CommandDefaults,
        options: ReadOptions,
        has_bins: bool,
        steps: I,
    ) -> Checked<RowCommand<impl Fn(&mut Kind) -> Checked + use<'a, I>>> {
        if has_bins {
            return Err(invalid("bins and ops exclude each other"));
        }
        let (options, rules) = options.for_operations();
        let command = Self::operate(defaults, &options, &rules, steps)?;
        if command.spec.write {
            return Err(invalid("ops of a Read must only read: use Write for these"));
        }
        Ok(command)
    }
}

fn invalid(message: &str) -> InvalidArgument {
    InvalidArgument::of_value(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::message::op;
    use spikewire_aerospike_protocol::value::particle;

    #[test]
    fn operations_of_rows_read_or_write() {
        let step = |code, bin| OperationRef { code, bin, particle: particle::NULL, value: b"" };
        let (read, touch) = ([step(op::READ, "a")], [step(op::TOUCH, "")]);
        let defaults = CommandDefaults::default();
        let reads = |steps: &[OperationRef<'static>], has_bins| {
            let steps = steps.iter().copied();
            RowCommand::read_operations(&defaults, ReadOptions::default(), has_bins, steps)
                .map(|command| command.answered)
        };
        let writes = |steps: &[OperationRef<'static>]| {
            let steps = steps.iter().copied();
            RowCommand::write_operations(&defaults, &WriteOptions::default(), steps)
                .map(|command| command.answered)
        };
        assert_eq!(reads(&read, false), Ok(Some(vec![true])));
        assert_eq!(writes(&touch), Ok(Some(vec![false])));
        assert!(reads(&touch, false).unwrap_err().message().contains("must only read"));
        assert!(writes(&read).unwrap_err().message().contains("must write"));
        assert!(reads(&read, true).unwrap_err().message().contains("exclude each other"));
    }
}

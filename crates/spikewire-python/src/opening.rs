//! Which settings a client or session is opened with, from a URL, variables and keywords.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use spikewire_options::Literal;
use spikewire_options::opening::{Host, Opening, Setting, TextType, read};

use crate::arguments::{OptionArgument, text};
use crate::errors::{invalid_argument, value_error};

const CODEC: (&str, TextType) = ("codec", TextType::Object);
const SUBMIT_LIMIT: (&str, TextType) = ("submit_limit", TextType::Whole);

/// The options of each kind of client, and those of other kinds and languages.
const BLOCKING: Host = Host {
    own: &[CODEC, SUBMIT_LIMIT],
    others: &["doubles", "integers", "maps", "max_in_flight", "threads"],
    argument: "a keyword",
};
const ASYNCHRONOUS: Host = Host {
    own: &[CODEC],
    others: &["doubles", "integers", "maps", "submit_limit", "threads"],
    argument: "a keyword",
};
const SESSION: Host = Host {
    own: &[
        ("address_translator", TextType::Object),
        ("authenticator", TextType::Object),
        SUBMIT_LIMIT,
    ],
    others: &["integers", "maps", "threads"],
    argument: "a keyword",
};

/// The seeds, their source, the path of the URL; options, and the sources of path and options.
type Parts<'py> = (String, String, Option<String>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// The settings of a client of a kind: `"blocking"`, `"asynchronous"` or `"session"`. Variables are
/// pairs of names and texts. Every option of the URL and of variables is checked.
#[pyfunction]
#[pyo3(signature = (kind, url, variables, options, /))]
pub fn read_opening<'py>(
    py: Python<'py>,
    kind: &str,
    url: Option<Bound<'py, PyAny>>,
    variables: Vec<(String, Bound<'py, PyAny>)>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Parts<'py>> {
    let url = url.as_ref().map(|url| text("the URL", url)).transpose()?;
    let of_variable = |(name, value): (String, Bound<'py, PyAny>)| {
        let unreadable = |_| value_error(format!("the variable {name}: it is not UTF-8"));
        let value = text(&name, &value).map_err(unreadable)?.to_owned();
        Ok((name, value))
    };
    let variables = variables.into_iter().map(of_variable).collect::<PyResult<Vec<_>>>()?;
    let keyword =
        |(name, value): (Bound<'py, PyAny>, _)| Ok((name.extract()?, OptionArgument(value)));
    let keywords = options.iter().map(keyword).collect::<PyResult<Vec<(String, _)>>>()?;
    let opening = match kind {
        "session" => {
            let (scheme, checks) =
                (&spikewire_cassandra::URL_SCHEME, &spikewire_cassandra::UrlChecks);
            read(scheme, &SESSION, checks, url, variables, keywords)
        }
        kind => {
            let host = if kind == "blocking" { &BLOCKING } else { &ASYNCHRONOUS };
            let (scheme, checks) =
                (&spikewire_aerospike::URL_SCHEME, &spikewire_aerospike::UrlChecks);
            read(scheme, host, checks, url, variables, keywords)
        }
    };
    parts(py, opening.map_err(invalid_argument)?)
}

fn parts<'py>(py: Python<'py>, opening: Opening<OptionArgument<'py>>) -> PyResult<Parts<'py>> {
    let (options, sources) = (PyDict::new(py), PyDict::new(py));
    let path = opening.path.map(|(path, source)| {
        sources.set_item("namespace", source)?;
        PyResult::Ok(path)
    });
    for used in opening.options {
        let value = match used.value {
            Setting::Argument(value) => value.0,
            Setting::Text(value) => object(py, &value)?,
        };
        options.set_item(&used.name, value)?;
        sources.set_item(used.name, used.source)?;
    }
    Ok((opening.seeds, opening.seeds_source, path.transpose()?, options, sources))
}

/// A value of a URL or a variable.
fn object<'py>(py: Python<'py>, value: &Literal) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Literal::None => py.None().into_bound(py),
        Literal::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Literal::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            (*number as i64).into_pyobject(py)?.into_any()
        }
        Literal::Number(number) | Literal::Span(number) => number.into_pyobject(py)?.into_any(),
        Literal::Text(text) => text.into_pyobject(py)?.into_any(),
        Literal::List(elements) => {
            let objects = elements.iter().map(|it| object(py, it)).collect::<PyResult<Vec<_>>>()?;
            // Times that belong together.
            if matches!(elements[..], [Literal::Span(_), ..]) {
                PyTuple::new(py, objects)?.into_any()
            } else {
                PyList::new(py, objects)?.into_any()
            }
        }
        Literal::Map(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

//! Classes of the standard library and of `spikewire.cql.types`.

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::bridge::cached::Cached;

macro_rules! classes {
    ($($name:ident: $module:literal, $attribute:literal;)*) => {
        $(
            /// The class with this name.
            pub fn $name(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
                static CLASS: Cached<Py<PyType>> = Cached::new();
                CLASS.import(py, $module, $attribute)
            }
        )*
    };
}

classes! {
    uuid: "uuid", "UUID";
    decimal: "decimal", "Decimal";
    ipv4: "ipaddress", "IPv4Address";
    ipv6: "ipaddress", "IPv6Address";
    duration: "spikewire.cql.types", "Duration";
    nanosecond_time: "spikewire.cql.types", "Time";
    node: "spikewire.cql.types", "Node";
    far_date: "spikewire.cql.types", "Date";
    far_timestamp: "spikewire.cql.types", "Timestamp";
}

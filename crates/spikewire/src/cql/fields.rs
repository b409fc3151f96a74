//! Structs as user-defined types or rows.

/// Implements binding a struct with named fields as a user-defined type, and reading it from a
/// column of such a type or from a whole row. Fields are matched by name.
///
/// A field that only the type has is sent as null, and ignored when read. A field that only the
/// struct has is an error when sent, and null when read, which requires an `Option`.
///
/// ```
/// use spikewire::cql::Session;
/// use spikewire::fields;
///
/// struct Address {
///     street: String,
///     zip: Option<i32>,
/// }
/// fields!(Address { street, zip });
///
/// fn first(session: &Session) -> spikewire::cql::Result<()> {
///     // address frozen<address>, with: CREATE TYPE address (street text, zip int)
///     let elm = Address { street: "Elm".to_owned(), zip: None };
///     session.execute("INSERT INTO people (id, address) VALUES (?, ?)", (1, elm))?;
///     let row = session.execute("SELECT address FROM people WHERE id = 1", ())?.row(0);
///     let address: Option<Address> = row.map(|row| row.get("address")).transpose()?;
///
///     // Of columns of these names.
///     let result = session.execute("SELECT street, zip FROM houses", ())?;
///     let houses: spikewire::cql::Result<Vec<Address>> = result.rows_as().collect();
///     # let _ = (address, houses);
///     Ok(())
/// }
/// ```
#[macro_export]
macro_rules! fields {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::cql::Source for $name {
            type Error = $crate::cql::EncodeError;

            fn presence(&self) -> $crate::cql::Presence {
                $crate::cql::Presence::Value
            }

            fn describe(&self) -> ::std::string::String {
                ::std::string::String::from(::std::stringify!($name))
            }

            fn field<A: $crate::cql::Accept<$crate::cql::EncodeError>>(
                &self,
                _: usize,
                name: &str,
                into: &mut A,
            ) -> ::std::result::Result<(), $crate::cql::Unfit<$crate::cql::EncodeError>> {
                $(if name == ::std::stringify!($field) {
                    return into.item(&self.$field);
                })+
                ::std::result::Result::Ok(())
            }

            fn unknown_field(
                &self,
                udt: &$crate::cql::Udt,
            ) -> ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                $crate::cql::Unfit<$crate::cql::EncodeError>,
            > {
                let mut fields = [$(::std::stringify!($field)),+].into_iter();
                let unknown = fields.find(|field| !udt.has_field(field));
                ::std::result::Result::Ok(unknown.map(::std::string::String::from))
            }
        }

        impl $crate::cql::FromValue for $name {
            fn udt<S, I: $crate::cql::Elements<S, $crate::cql::Unreadable>>(
                udt: &$crate::cql::Udt,
                values: &mut I,
            ) -> ::std::result::Result<Self, $crate::cql::Unreadable> {
                $(let mut $field = ::std::option::Option::None;)+
                for (name, _) in &udt.fields {
                    $(if name == ::std::stringify!($field) {
                        $field = values.next_by(&$crate::cql::As::VALUE).transpose()?;
                        continue;
                    })+
                    values.next_by(&$crate::cql::As::<$crate::cql::Value>::VALUE).transpose()?;
                }
                ::std::result::Result::Ok(Self {
                    $($field: match $field {
                        ::std::option::Option::Some(value) => value,
                        ::std::option::Option::None => $crate::cql::FromValue::null()?,
                    },)+
                })
            }
        }

        impl $crate::cql::FromRow for $name {
            fn from_row(row: &$crate::cql::Row) -> $crate::cql::Result<Self> {
                ::std::result::Result::Ok(Self {
                    $($field: row.get(::std::stringify!($field))?,)+
                })
            }
        }
    };
}

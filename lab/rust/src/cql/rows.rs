//! The rows of both tables; the Python counterpart is `spikewire_lab/cql/data.py`.

/// A row of `items`: key, number, blob.
pub type Item = (String, i32, Vec<u8>);

/// A row of `wide`, in the order of its columns.
pub type Wide = (i32, i32, i64, i64, f64, f64, i32, String, String, bool);

/// An item as the other clients write it.
pub fn item(number: u64, payload: usize) -> Item {
    let bytes = (0..payload as u64).map(|at| (number.wrapping_mul(7) + at) as u8).collect();
    (format!("user:{number:08}"), number as i32, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_the_other_workers() {
        let (id, number, payload) = item(300, 3);
        assert_eq!((id.as_str(), number, payload), ("user:00000300", 300, vec![52, 53, 54]));
    }
}

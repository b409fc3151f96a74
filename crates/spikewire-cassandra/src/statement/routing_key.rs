//! The partition of a statement's bound values.

use spikewire_cql::response::Column;
use spikewire_cql::token::{put_partition_key, token};
use spikewire_cql::value::in_order;
use spikewire_transport::buffer;

/// The token of the partition key with these columns of the encoded `values`, in this order; `None`
/// if one of them is null or not set, or if the key is too long, which the server reports.
pub fn token_of(values: &[u8], key: &[u16]) -> Option<i64> {
    match key {
        [] => None,
        [at] => value(values, *at).map(token),
        several => {
            let parts: Option<Vec<&[u8]>> = several.iter().map(|at| value(values, *at)).collect();
            let mut key = buffer::take();
            put_partition_key(parts?, &mut key).ok()?;
            let token = token(&key);
            buffer::give(key);
            Some(token)
        }
    }
}

/// The same for a key with sets or maps, which the server sorts; `None` as well if their order is
/// not known.
pub fn token_in_order(values: &[u8], key: &[u16], parameters: &[Column]) -> Option<i64> {
    let part = |at: &u16| in_order(&parameters.get(usize::from(*at))?.ty, value(values, *at)?);
    let parts: Vec<Vec<u8>> = key.iter().map(part).collect::<Option<_>>()?;
    match &parts[..] {
        [] => None,
        [one] => Some(token(one)),
        several => {
            let mut key = Vec::new();
            put_partition_key(several.iter().map(Vec::as_slice), &mut key).ok()?;
            Some(token(&key))
        }
    }
}

/// The value at this index.
fn value(values: &[u8], at: u16) -> Option<&[u8]> {
    let mut rest = values;
    for _ in 0..at {
        let (len, behind) = rest.split_first_chunk::<4>()?;
        let len = usize::try_from(i32::from_be_bytes(*len)).unwrap_or(0);
        rest = behind.get(len..)?;
    }
    let (len, behind) = rest.split_first_chunk::<4>()?;
    behind.get(..usize::try_from(i32::from_be_bytes(*len)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routing_keys_have_one_or_several_columns() {
        // null, int 1, text x, blob ff
        let values = b"\xff\xff\xff\xff\0\0\0\x04\0\0\0\x01\0\0\0\x01x\0\0\0\x01\xff";
        assert_eq!(token_of(values, &[1]), Some(-4_069_959_284_402_364_209));
        assert_eq!(token_of(values, &[1, 2, 3]), Some(5_724_355_951_675_392_157));
        assert_eq!(token_of(values, &[]), None);
        assert_eq!(token_of(values, &[0]), None, "null");
        assert_eq!(token_of(values, &[4]), None, "beyond the end");
    }
}

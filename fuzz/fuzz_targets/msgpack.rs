//! The token reader on its own, as expressions and the server's list and map operations use it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(input);
    let mut out = Vec::new();
    let mut tokens = Vec::new();
    let mut announced = 0u64;
    while !reader.is_at_end() {
        let before = reader.rest().len();
        if reader.flags().is_some() {
            assert_eq!(reader.rest().len() + 3, before);
            continue;
        }
        let Ok(token) = reader.next() else { break };
        assert!(reader.rest().len() < before);
        if let Token::Array(count) | Token::Map(count) = token {
            assert_eq!(reader.capacity(count, 1), count as usize);
            announced += u64::from(count);
        }
        write(&mut out, token);
        tokens.push(token);
    }
    // Memory that callers reserve for announced items is bounded by the input.
    assert!(announced <= input.len() as u64);

    let mut reader = Reader::new(&out);
    for token in tokens {
        // The rest of truncated input may be missing here, too.
        let Ok(read) = reader.next() else { break };
        assert!(same(token, read), "{token:?} came back as {read:?}");
    }
});

fn write(out: &mut Vec<u8>, token: Token<'_>) {
    match token {
        Token::Nil => msgpack::nil(out),
        Token::Bool(flag) => msgpack::boolean(out, flag),
        Token::Int(int) => msgpack::int(out, int),
        Token::UInt(int) => msgpack::uint(out, int),
        Token::Float(float) => msgpack::float(out, float),
        Token::Bytes(kind, bytes) => msgpack::bytes(out, kind, bytes),
        Token::Array(count) => msgpack::array(out, count),
        Token::Map(count) => msgpack::map(out, count),
        Token::Ext(kind, bytes) => {
            out.push(0xc9);
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.push(kind);
            out.extend_from_slice(bytes);
        }
    }
}

/// Equal, with floats compared by their bits.
fn same(a: Token<'_>, b: Token<'_>) -> bool {
    match (a, b) {
        (Token::Float(a), Token::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

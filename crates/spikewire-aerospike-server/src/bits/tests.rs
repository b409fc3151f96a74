//! Bit operations, one by one.

#![allow(clippy::unnecessary_wraps)] // what is compared with are results

use super::*;

fn bytes(op: BitOp<Blob<'_>>) -> Vec<u8> {
    let mut out = Vec::new();
    op.encode(&mut out);
    out
}

/// The blob after an operation: `None` if there is none, `Err` with the code of the rejection.
fn run(old: Option<&[u8]>, op: BitOp<Blob<'_>>) -> Result<Option<Vec<u8>>, u8> {
    let old = old.map(|blob| (particle::BLOB, blob));
    let outcome = modify(old, particle::BLOB, &bytes(op)).map_err(|code| code.0)?;
    Ok(outcome.bin.map(|bin| bin.1).or(old.map(|old| old.1.to_vec())))
}

fn ask(blob: &[u8], op: BitOp<Blob<'_>>) -> Result<Vec<u8>, u8> {
    let result = read((particle::BLOB, blob), particle::BLOB, &bytes(op));
    result.map(|result| result.unwrap().value).map_err(|code| code.0)
}

fn int(int: i64) -> Result<Vec<u8>, u8> {
    Ok(int.to_be_bytes().to_vec())
}

fn some(bytes: &[u8]) -> Result<Option<Vec<u8>>, u8> {
    Ok(Some(bytes.to_vec()))
}

const fn area(offset: i64, size: i64) -> Area {
    Area { offset, size }
}

#[test]
fn resize_insert_and_remove_change_whole_bytes() {
    let resize = |size, flags, how| BitOp::Resize { size, flags, how };
    assert_eq!(run(None, resize(2, 0, 0)), some(&[0, 0]));
    assert_eq!(run(None, resize(0, 0, 0)), Ok(None));
    assert_eq!(run(None, resize(2, 2, 0)), Err(17));
    assert_eq!(run(None, resize(2, 2 | 4, 0)), Ok(None));
    let old = Some(&[1, 2][..]);
    assert_eq!(run(old, resize(3, 0, 1)), some(&[0, 1, 2]));
    assert_eq!(run(old, resize(1, 0, 1)), some(&[2]));
    assert_eq!(run(old, resize(1, 0, 2)), Err(4));
    assert_eq!(run(old, resize(1, 4, 2)), some(&[1, 2]));
    assert_eq!(run(old, resize(3, 0, 4)), Err(4));
    assert_eq!(run(old, resize(3, 1, 0)), Err(6));
    assert_eq!(run(old, resize(3, 8, 0)), Err(4));
    assert_eq!(run(old, resize(-1, 4, 0)), Err(4));
    assert_eq!(run(old, resize(i64::MAX, 0, 0)), Err(13));
    let insert = |offset, bytes| BitOp::Insert { offset, bytes: Blob(bytes), flags: 0 };
    assert_eq!(run(old, insert(-1, b"\x09")), some(&[1, 9, 2]));
    assert_eq!(run(old, insert(3, b"\x09")), some(&[1, 2, 0, 9]));
    assert_eq!(run(None, insert(1, b"\x09")), some(&[0, 9]));
    assert_eq!(run(None, insert(-1, b"\x09")), Err(4));
    assert_eq!(run(None, insert(0, b"")), Err(4));
    assert_eq!(run(old, insert(i64::MAX, b"x")), Err(13));
    let remove = |offset, size, flags| BitOp::Remove { offset, size, flags };
    assert_eq!(run(old, remove(0, 1, 0)), some(&[2]));
    assert_eq!(run(old, remove(1, 2, 0)), Err(4));
    assert_eq!(run(old, remove(1, i64::MAX, 8)), some(&[1]));
    assert_eq!(run(old, remove(2, 1, 8)), Err(4));
    assert_eq!(run(old, remove(2, 1, 4)), some(&[1, 2]));
    assert_eq!(run(None, remove(0, 1, 0)), Err(17));
}

#[test]
fn combine_shift_and_set_change_bits_in_place() {
    let combine = |how, offset, size, bytes, flags| {
        run(
            Some(&[0b1100_1010, 0xf0]),
            BitOp::Combine { how, area: area(offset, size), bytes: Blob(bytes), flags },
        )
    };
    assert_eq!(combine(Combine::Set, 4, 8, &[0x55], 0), some(&[0b1100_0101, 0x50]));
    assert_eq!(combine(Combine::Or, 0, 8, &[0x0f], 0), some(&[0b1100_1111, 0xf0]));
    assert_eq!(combine(Combine::Xor, -8, 4, &[0xff], 0), some(&[0b1100_1010, 0]));
    assert_eq!(combine(Combine::And, 0, 3, &[0x40], 0), some(&[0b0100_1010, 0xf0]));
    assert_eq!(combine(Combine::Set, 12, 8, &[0xff], 0), Err(26));
    assert_eq!(combine(Combine::Set, 12, 8, &[0xff], 8), some(&[0b1100_1010, 0xff]));
    assert_eq!(combine(Combine::Set, 16, 8, &[0xff], 8), Err(26));
    assert_eq!(combine(Combine::Set, 16, 8, &[0xff], 4), some(&[0b1100_1010, 0xf0]));
    assert_eq!(combine(Combine::Set, 0, 9, &[0xff], 4), Err(4));
    assert_eq!(combine(Combine::Set, 0, 0, &[0xff], 4), Err(4));
    assert_eq!(combine(Combine::Set, -17, 1, &[0xff], 0), Err(4));
    let shift = |right, by| {
        run(Some(&[0b1100_1010]), BitOp::Shift { right, area: area(1, 6), by, flags: 0 })
    };
    assert_eq!(shift(false, 2), some(&[0b1010_1000]));
    assert_eq!(shift(true, 2), some(&[0b1001_0010]));
    assert_eq!(shift(true, i64::MAX), some(&[0b1000_0000]));
    assert_eq!(shift(true, -1), Err(4));
    let not = BitOp::Not { area: area(4, 4), flags: 0 };
    assert_eq!(run(Some(&[0xff]), not), some(&[0xf0]));
    let other = modify(Some((particle::STRING, b"x")), particle::BLOB, &bytes(not));
    assert_eq!(other, Err(ResultCode::BIN_TYPE));
    assert_eq!(modify(None, particle::STRING, &bytes(not)), Err(ResultCode::BIN_TYPE));
}

#[test]
fn integer_operations_overflow_by_their_action() {
    let add = |old: u8, value, subtract, how| {
        run(Some(&[old]), BitOp::Add { subtract, area: area(0, 8), value, flags: 0, how })
    };
    assert_eq!(add(250, 5, false, 0), some(&[255]));
    assert_eq!(add(250, 6, false, 0), Err(26));
    assert_eq!(add(250, 7, false, 4), some(&[1]));
    assert_eq!(add(250, 7, false, 2), some(&[255]));
    assert_eq!(add(3, 4, true, 2), some(&[0]));
    assert_eq!(add(3, 4, true, 1), some(&[255]));
    assert_eq!(add(127, 1, false, 1), Err(26));
    assert_eq!(add(127, 1, false, 1 | 4), some(&[128]));
    assert_eq!(add(0x80, 1, true, 1 | 2), some(&[0x80]));
    assert_eq!(add(1, 1, true, 2 | 4), Err(4));
    let set = |size, value| BitOp::SetInt { area: area(0, size), value, flags: 0 };
    assert_eq!(run(Some(&[0; 8]), set(64, -2)), some(&[255, 255, 255, 255, 255, 255, 255, 254]));
    assert_eq!(run(Some(&[0; 9]), set(65, 1)), Err(4));
    assert_eq!(run(Some(&[0]), set(9, 1)), Err(26));
    let get = |how| ask(&[0x0f, 0xf0], BitOp::GetInt { area: area(4, 8), how });
    assert_eq!((get(0), get(1), get(2)), (int(255), int(-1), Err(4)));
}

#[test]
fn read_operations_return_bits_counts_and_positions() {
    let blob = [0b0001_0110, 0x80];
    assert_eq!(ask(&blob, BitOp::Get(area(3, 6))), Ok(vec![0b1011_0100]));
    assert_eq!(ask(&blob, BitOp::Count(area(0, 16))), int(4));
    assert_eq!(ask(&blob, BitOp::Count(area(-8, 9))), Err(26));
    assert_eq!(ask(&blob, BitOp::Count(area(16, 1))), Err(26));
    assert_eq!(ask(&blob, BitOp::Count(area(0, 0))), Err(4));
    assert_eq!(ask(&blob, BitOp::Count(area(-17, 1))), Err(4));
    let scan =
        |right, offset, size, bit| ask(&blob, BitOp::Scan { right, area: area(offset, size), bit });
    assert_eq!(scan(false, 1, 15, true), int(2));
    assert_eq!(scan(true, 1, 15, true), int(7));
    assert_eq!(scan(true, 9, 7, true), int(-1));
    assert_eq!(scan(false, 0, 3, false), int(0));
    let half = Area { offset: i64::MAX, size: i64::MAX };
    assert_eq!(ask(&blob, BitOp::Get(half)), Err(4));
    assert_eq!(ask(&blob, BitOp::Get(area(0, 1 << 32))), Err(4));
    let of_text = |op| read((particle::STRING, b"ab"), particle::BLOB, &bytes(op)).unwrap_err().0;
    assert_eq!(of_text(BitOp::Get(area(0, 8))), 12);
    assert_eq!(of_text(BitOp::Get(area(0, 0))), 4, "the size is looked at first");
}

#[test]
fn a_value_counts_with_as_many_bits_as_the_integer_has() {
    const SIGNED: i64 = integer::SIGNED;
    const SATURATE: i64 = integer::SATURATE;
    for (old, subtract, size, value, how, new) in [
        (&[0x0f, 0xf0][..], false, 4, 20, SATURATE, &[0x4f, 0xf0][..]),
        (&[0x0f, 0xf0], false, 4, 20, 0, &[0x4f, 0xf0]),
        (&[0xff, 0xf0], true, 4, 20, SATURATE, &[0xbf, 0xf0]),
        (&[0x0f, 0xf0], false, 8, 256, 0, &[0x0f, 0xf0]),
        (&[0x00, 0x00], false, 1, -1, 0, &[0x80, 0x00]),
        // The smallest signed value is its own negative.
        (&[0x05, 0x00], true, 8, -128, SIGNED, &[0x85, 0x00]),
    ] {
        let add = BitOp::Add { subtract, area: area(0, size), value, flags: 0, how };
        assert_eq!(run(Some(old), add), some(new), "{old:?} {value} in {size} bits");
    }
}

#[test]
fn create_only_is_checked_before_the_bin_type() {
    let insert = |flags| BitOp::Insert { offset: 0, bytes: Blob(b"x"), flags };
    let code = |flags| {
        modify(Some((particle::STRING, b"ab")), particle::BLOB, &bytes(insert(flags)))
            .unwrap_err()
            .0
    };
    assert_eq!((code(write::CREATE_ONLY), code(0)), (6, 12));
}

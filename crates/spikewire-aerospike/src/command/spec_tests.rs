use super::*;
use crate::command::Operations as _;
use spikewire_aerospike_protocol::key::UserKey;
use spikewire_aerospike_protocol::message::{Message, info3, op};
use spikewire_aerospike_protocol::value::particle;

fn step(code: u8, bin: &str) -> OperationRef<'_> {
    OperationRef { code, bin, particle: particle::NULL, value: &[] }
}

fn operate(
    options: &WriteOptions,
    touch: Option<ReadTouch>,
    steps: &[OperationRef<'_>],
) -> Result<(CommandSpec, Vec<bool>), InvalidArgument> {
    let defaults = CommandDefaults { send_key: true, ..CommandDefaults::default() };
    CommandSpec::operate(
        &defaults,
        options,
        &ReadRules { touch, ..ReadRules::default() },
        steps.iter().copied(),
    )
}

#[test]
fn flags_of_a_read() {
    let defaults = CommandDefaults { read_mode: ReadMode::All, ..CommandDefaults::default() };
    let spec = |options: &ReadOptions, bins| CommandSpec::get(&defaults, options, bins).unwrap();
    let all = spec(&ReadOptions::default(), BinSelection::All);
    let bits = info1::READ | info1::GET_ALL | info1::READ_MODE_AP_ALL;
    assert_eq!((all.header.info1, all.write, all.send_key), (bits, false, false));
    let mode = Some(ReadMode::AllowUnavailable);
    let options = ReadOptions { mode, touch: Some(ReadTouch::Percent(80)), ..Default::default() };
    let none = spec(&options, BinSelection::None);
    assert_eq!(none.header.info1, info1::READ | info1::NO_BINS);
    assert_eq!(none.header.info3, info3::SC_READ_TYPE | info3::SC_READ_RELAX);
    assert_eq!(none.header.ttl, 80);
}

#[test]
fn a_delete_has_no_time_to_live_and_sends_its_key_only_on_request() {
    let defaults = CommandDefaults { send_key: true, ..CommandDefaults::default() };
    let options = WriteOptions { ttl: Ttl::Never, ..WriteOptions::default() };
    let spec = CommandSpec::delete(&defaults, &options).unwrap();
    assert_eq!((spec.header.ttl, spec.send_key), (0, false));
    assert_eq!(spec.header.info2, info2::WRITE | info2::DELETE);
    let options = WriteOptions { send_key: Some(true), ..WriteOptions::default() };
    assert!(CommandSpec::delete(&defaults, &options).unwrap().send_key);
}

#[test]
fn rules_that_do_not_apply_are_rejected() {
    let defaults = CommandDefaults::default();
    let create = WriteOptions { exists: ExistsRule::Create, ..WriteOptions::default() };
    for (name, outcome) in [
        ("delete", CommandSpec::delete(&defaults, &create)),
        ("touch", CommandSpec::touch(&defaults, &create)),
        ("apply", CommandSpec::apply(&defaults, &create)),
    ] {
        let expected = format!("exists does not apply to {name}");
        assert_eq!(outcome.unwrap_err().message(), expected);
    }
    let reads = [step(op::READ, "a")];
    assert!(operate(&create, None, &reads).unwrap_err().message().contains("apply to writes"));
    let writes = [step(op::TOUCH, "")];
    let outcome = operate(&WriteOptions::default(), Some(ReadTouch::Never), &writes).unwrap_err();
    assert!(outcome.message().contains("apply to reads"));
    assert!(operate(&WriteOptions::default(), None, &[]).is_err());
    let mixed = [step(op::READ, ""), step(op::CDT_MODIFY, "l")];
    assert!(operate(&WriteOptions::default(), None, &mixed).is_err());
}

#[test]
fn operations_say_which_of_them_are_answered() {
    let options = WriteOptions::default();
    let steps = [step(op::WRITE, "a"), step(op::TOUCH, ""), step(op::READ, "a")];
    let (spec, answered) = operate(&options, None, &steps).unwrap();
    assert_eq!(answered, [true, false, true]);
    assert_eq!(spec.header.info2, info2::WRITE | info2::RESPOND_ALL_OPS);
    assert_eq!((spec.header.info1, spec.write, spec.send_key), (info1::READ, true, true));
    let (spec, answered) = operate(&options, None, &[step(op::READ, ""), steps[0]]).unwrap();
    assert!(answered.is_empty());
    assert_eq!(spec.header.info1, info1::READ | info1::GET_ALL);
    let (spec, _) = operate(&options, None, &[step(op::EXP_READ, "x")]).unwrap();
    assert_eq!((spec.write, spec.send_key, spec.header.info2), (false, false, 0x80));
}

#[test]
fn a_request_and_a_row_say_the_same() {
    let set = SetRef::new("test", "demo").unwrap();
    let filter: Arc<[u8]> = Arc::from(&b"f"[..]);
    let timeout = Some(Duration::from_micros(500));
    let options = WriteOptions { filter: Some(filter), timeout, ..WriteOptions::default() };
    let spec = CommandSpec::touch(&CommandDefaults::default(), &options).unwrap();
    let digest = set.digest(&UserKey::Str("k1"));
    let key = &b"\x03k1"[..];
    let prepared = spec.compose(&set, &digest, Some(key), |request| {
        request.touch();
        Ok::<_, InvalidArgument>(())
    });
    let bytes = prepared.unwrap().bytes;
    let (message, used) = Message::parse(&bytes[HEADER_LEN..]).unwrap();
    assert_eq!(used, bytes.len() - HEADER_LEN);
    assert_eq!(message.header.timeout, 1);
    assert_eq!(message.field(field::FILTER), Some(&b"f"[..]));
    assert_eq!(message.field(field::KEY), Some(key));
    assert_eq!(message.field(field::DIGEST), Some(&digest.0[..]));
    let row = spec.row(&set, Some(key), |row| {
        row.touch();
        Ok::<_, InvalidArgument>(())
    });
    let (header, _, ops) = row.as_ref().unwrap().row.parts();
    assert_eq!((header.info2, header.fields, header.ops), (info2::WRITE, 4, 1));
    assert!(ops.ends_with(&[0, 0, 0, 4, op::TOUCH, 0, 0, 0]));
    assert!(!row.unwrap().row.is_repeatable());
}

#[test]
fn an_invalid_command_writes_no_bytes() {
    let set = SetRef::new("test", "demo").unwrap();
    let spec = CommandSpec::write(&CommandDefaults::default(), &WriteOptions::default()).unwrap();
    let outcome = spec.compose(&set, &Digest([7; 20]), None, |request| {
        (0..40_000).for_each(|_| request.touch());
        Ok::<_, InvalidArgument>(())
    });
    assert!(outcome.unwrap_err().message().contains("40000 operations"));
    let outcome = spec.row(&set, None, |_| Err(InvalidArgument::of_value("no")));
    assert_eq!(outcome.unwrap_err().message(), "no");
}

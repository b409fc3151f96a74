use super::details::{Failures, Replicas};
use super::*;
use crate::consistency::Consistency;

fn error(code: Code, details: Details) -> ServerError {
    ServerError { code, message: String::new(), details }
}

fn replicas(consistency: Consistency, received: i32) -> Replicas {
    Replicas { consistency, received, required: 2 }
}

fn write_timeout(write_type: WriteType) -> ServerError {
    let replicas = replicas(Consistency::Quorum, 1);
    let contentions = None;
    error(Code::WriteTimeout, Details::WriteTimeout { replicas, write_type, contentions })
}

fn read_timeout(consistency: Consistency, received: i32, data_present: bool) -> ServerError {
    let replicas = replicas(consistency, received);
    error(Code::ReadTimeout, Details::ReadTimeout { replicas, data_present })
}

#[test]
fn codes_have_their_numbers() {
    for code in Code::known() {
        assert_eq!(Code::from_number(code.number()), code);
    }
    for number in [-1, 1, 0x1800, i32::MAX] {
        let code = Code::from_number(number);
        assert_eq!((code, code.number()), (Code::Other(number), number));
    }
    assert_eq!(Code::CasWriteUnknown.to_string(), "CAS write unknown (0x1700)");
    assert_eq!(Code::Other(0x1800).to_string(), "unknown error (0x1800)");
}

#[test]
fn requests_that_did_not_start_go_to_the_next_node() {
    let details = Details::Unavailable(replicas(Consistency::Serial, 1));
    for error in [error(Code::Unavailable, details), error(Code::Bootstrapping, Details::None)] {
        assert_eq!((error.retry(), error.is_doubtful()), (Retry::NextNode, false));
    }
}

#[test]
fn in_doubt_requests_are_retried_only_if_idempotent() {
    for error in [
        error(Code::Server, Details::None),
        error(Code::Overloaded, Details::None),
        write_timeout(WriteType::Simple),
        write_timeout(WriteType::UnloggedBatch),
        write_timeout(WriteType::View),
        write_timeout(WriteType::Cdc),
        write_timeout(WriteType::BatchLog),
    ] {
        assert!(error.retry().takes_idempotence(), "{error:?}");
        assert!(error.is_doubtful(), "{error:?}");
    }
    assert_eq!(write_timeout(WriteType::BatchLog).retry(), Retry::SameNodeIfIdempotent);
}

#[test]
fn in_doubt_counters_and_conditional_writes_are_never_retried() {
    let replicas = replicas(Consistency::Serial, 1);
    let failures = Failures::default();
    let write_type = WriteType::Simple;
    for error in [
        write_timeout(WriteType::Batch),
        write_timeout(WriteType::Counter),
        write_timeout(WriteType::Cas),
        write_timeout(WriteType::Other("NEW".into())),
        error(Code::CasWriteUnknown, Details::CasWriteUnknown(replicas)),
        error(Code::WriteFailure, Details::WriteFailure { replicas, failures, write_type }),
        error(Code::CdcWriteFailure, Details::None),
        error(Code::Truncate, Details::None),
        error(Code::Other(0x7777), Details::None),
    ] {
        assert_eq!((error.retry(), error.is_doubtful()), (Retry::Never, true), "{error:?}");
    }
}

#[test]
fn errors_that_would_repeat_are_not_retried() {
    for code in [
        Code::Protocol,
        Code::BadCredentials,
        Code::FunctionFailure,
        Code::Syntax,
        Code::Unauthorized,
        Code::Invalid,
        Code::Config,
        Code::AlreadyExists,
    ] {
        let error = error(code, Details::None);
        assert_eq!((error.retry(), error.is_doubtful()), (Retry::Never, false), "{error:?}");
    }
}

#[test]
fn a_read_is_repeated_where_only_the_data_was_missing() {
    let quorum = Consistency::Quorum;
    assert_eq!(read_timeout(quorum, 2, false).retry(), Retry::SameNode);
    assert_eq!(read_timeout(quorum, 1, false).retry(), Retry::Never);
    assert_eq!(read_timeout(quorum, 2, true).retry(), Retry::Never);
    assert!(!read_timeout(quorum, 2, false).is_doubtful());
    // It may be the read of a conditional statement.
    let serial = read_timeout(Consistency::LocalSerial, 2, false);
    assert_eq!((serial.retry(), serial.is_doubtful()), (Retry::SameNodeIfIdempotent, true));
}

#[test]
fn a_statement_that_a_node_forgot_is_prepared_anew() {
    let error = error(Code::Unprepared, Details::Unprepared(vec![1]));
    assert_eq!((error.retry(), error.is_doubtful()), (Retry::Prepare, false));
}

#[test]
fn a_rate_limit_has_the_number_that_a_server_announced() {
    let bytes = b"\0\0\x51\x23\0\x04full\x01\x01";
    let read = |bytes: &[u8]| ServerError::read(Version::V4, &mut Reader(bytes)).unwrap();
    assert_eq!(read(bytes).code, Code::Other(0x5123));
    assert!(code::learn_rate_limit(0x5123) && code::learn_rate_limit(0x5123));
    let error = read(bytes);
    let (operation, by_coordinator) = (LimitedOperation::Write, true);
    assert_eq!(error.details, Details::RateLimit { operation, by_coordinator });
    assert_eq!((error.code, error.retry()), (Code::RateLimit(0x5123), Retry::Never));
    assert!(!error.is_doubtful(), "no replica has seen it");
    assert!(read(b"\0\0\x51\x23\0\0\x01\0").is_doubtful(), "a replica may have written it");
    let mut written = Vec::new();
    error.write(&mut written, Version::V4).unwrap();
    assert_eq!(written, bytes);
    // The numbers of other errors are not taken for it.
    assert!(!code::learn_rate_limit(0x1001) && !code::learn_rate_limit(0));
}

#[test]
fn a_rejected_version_differs_from_other_errors() {
    for (code, message, is_rejection) in [
        (
            Code::Protocol,
            "Invalid or unsupported protocol version (7); supported versions are",
            true,
        ),
        (Code::Server, "Invalid or unsupported protocol version: 5", true),
        (Code::Protocol, "Beta version of the protocol used (6/v6-beta), but", true),
        (Code::Protocol, "Unexpected message QUERY, expecting STARTUP or OPTIONS", false),
        (Code::Invalid, "Invalid or unsupported protocol version", false),
    ] {
        let message = message.to_owned();
        let error = ServerError { code, message, details: Details::None };
        assert_eq!(error.rejects_version(), is_rejection, "{error}");
    }
}

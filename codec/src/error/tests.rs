use std::collections::HashMap;

use super::*;

#[test]
fn refusals_are_counted_by_kind_and_place() {
    let mut counted: HashMap<(DecodeErrorKind, Place), u32> = HashMap::new();
    for at in [1, 2, 1] {
        let error = DecodeError::new(DecodeErrorKind::TooLarge, Place::Byte(at));
        *counted.entry((error.kind, error.place)).or_default() += 1;
    }
    assert_eq!(counted[&(DecodeErrorKind::TooLarge, Place::Byte(1))], 2);
}

#[test]
fn data_is_a_member_and_no_attribute() {
    for (name, told) in [
        ("time", r#"attribute "time""#),
        ("data", r#"member "data""#),
        ("data_base64", r#"member "data_base64""#),
    ] {
        assert_eq!(Place::Attribute(name.into()).to_string(), told);
    }
}

#[test]
fn every_error_tells_the_place_and_the_remedy() {
    let attribute = || Place::Attribute("a".into());
    let places = [
        Place::Message,
        Place::Batch,
        Place::Byte(7),
        attribute(),
        Place::Header("ce-a".into()),
    ];
    let too_large = places.map(|place| (DecodeErrorKind::TooLarge, place));
    let faults = [
        AttributeFault::Name,
        AttributeFault::Repeated,
        AttributeFault::Missing,
        AttributeFault::Empty,
        AttributeFault::Character,
        AttributeFault::SpecVersion,
        AttributeFault::Uri,
        AttributeFault::UriReference,
        AttributeFault::Timestamp,
        AttributeFault::MediaType,
        AttributeFault::Base64,
        AttributeFault::NotAString,
        AttributeFault::NotAnInteger,
        AttributeFault::NotAnAttribute,
    ];
    let faults = faults.map(|fault| (DecodeErrorKind::Attribute(fault), attribute()));
    let others = [
        DecodeErrorKind::NotACloudEvent,
        DecodeErrorKind::UnexpectedBatch,
        DecodeErrorKind::UnsupportedFormat,
        DecodeErrorKind::NotAnObject,
        DecodeErrorKind::NotAnArray,
        DecodeErrorKind::DataTwice,
        DecodeErrorKind::DataNotText,
        DecodeErrorKind::HeaderNotUtf8,
        DecodeErrorKind::ForbiddenHeader,
    ];
    let others = others.map(|kind| (kind, Place::Byte(7)));
    for (kind, place) in too_large.into_iter().chain(faults).chain(others) {
        let told = DecodeError::new(kind, place.clone()).to_string();
        let (start, problem) = told.split_once(": ").unwrap();
        assert_eq!(start, place.to_string());
        assert!(problem.contains("; "), "{told}");
    }
    for told in [
        EncodeError::AnnouncesStructured.to_string(),
        EncodeError::UnsupportedCharset.to_string(),
        EncodeError::NotInCharset.to_string(),
        EncodeError::TooManyHeaders.to_string(),
        EventError::DataUnderOtherType.to_string(),
        EventError::new(&"x".repeat(100), AttributeFault::Name).to_string(),
    ] {
        assert!(told.contains("; ") && told.len() < 150, "{told}");
    }
}

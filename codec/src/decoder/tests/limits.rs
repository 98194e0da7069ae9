//! Limits are reached and not passed, and batches name the element.

use super::*;

#[test]
fn limits_are_reached_and_not_passed() {
    let text = with(r#""e":"x","data":[[1]]"#);
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        Decoder::new(limits, Register::default()).decode_structured(text.as_bytes())
    };
    assert!(limits(|limits| limits.attributes = 5).is_ok());
    let error = limits(|limits| limits.attributes = 4).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::TooLarge);
    assert_eq!(error.place, Place::Attribute("e".into()));
    assert!(limits(|limits| limits.depth = 3).is_ok());
    let error = limits(|limits| limits.depth = 2).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "byte 71: nested deeper than the limit; flatten it"
    );
    assert!(limits(|limits| limits.depth = usize::MAX).is_ok());
    let error = limits(|limits| limits.event_bytes = 10).unwrap_err();
    assert_eq!(
        (error.kind, error.place),
        (DecodeErrorKind::TooLarge, Place::Message)
    );

    let mut limits = Limits::default();
    (limits.event_bytes, limits.attributes) = (60, 5);
    let decoder = Decoder::new(limits, Register::default());
    let headers = binary(&HTTP, &[header("ce-e", "x"), header("foreign", "")]);
    let decode = |body| decoder.decode(&HTTP, headers.iter().copied(), Some(body));
    assert!(decode(b"").is_ok());
    assert_eq!(decode(&[b'x'; 60]).unwrap_err().place, Place::Message);
    let headers = binary(&HTTP, &[header("ce-e", "x"), header("ce-f", "x")]);
    let error = decoder.decode(&HTTP, headers, None).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::TooLarge);
    assert_eq!(error.place, Place::Header("ce-f".into()));
}

#[test]
fn headers_of_others_are_counted_too() {
    let limits = Limits {
        headers: 5,
        ..Limits::default()
    };
    let decoder = Decoder::new(limits, Register::default());
    let foreign = ["x-first", "x-second"].map(|name| header(name, "1"));
    let five = binary(&KAFKA, &foreign[..1]);
    assert!(decoder.decode(&KAFKA, five, None).is_ok());
    let six = binary(&KAFKA, &foreign);
    let error = decoder.decode(&KAFKA, six, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "header \"x-second\": more headers or attributes than the limit; move some into data"
    );
}

#[test]
fn a_content_type_beside_the_attributes_of_nats_is_not_counted() {
    let limits = Limits {
        attributes: 4,
        ..Limits::default()
    };
    let decoder = Decoder::new(limits, Register::default());
    let headers = binary(&NATS, &[header("Content-Type", "text/plain")]);
    let event = decoder.decode(&NATS, headers, None).unwrap();
    assert_eq!(event.datacontenttype(), Some("text/plain"));
}

#[test]
fn a_batch_tells_the_element() {
    let decoder = Decoder::default();
    let good = format!("{{{REQUIRED}}}");
    let batch = format!("[{good} ,\n{good}]");
    let elements = decoder.decode_batch(batch.as_bytes()).unwrap();
    assert_eq!(elements.len(), 2);
    assert!(
        elements
            .iter()
            .all(|element| element.text == good.as_bytes())
    );
    assert_eq!(decoder.decode_batch(b" [ ] "), Ok(Vec::new()));
    for (batch, element) in [
        (format!("[{good},{{}}]"), Some(1)),
        (format!("[{good},7]"), Some(1)),
        (format!("[{good},]"), Some(1)),
        (format!("[{good} {good}]"), None),
        (format!("[{good}] x"), None),
        (good, None),
    ] {
        let error = decoder.decode_batch(batch.as_bytes()).unwrap_err();
        assert_eq!(error.element, element, "{batch}");
    }
}

#[test]
fn a_batch_may_hold_so_many_events_and_the_first_one_above_is_named() {
    let event = format!("{{{REQUIRED}}}");
    let batch = |count| format!("[{}]", vec![event.as_str(); count].join(","));
    let decoder = Decoder::default();
    let elements = |text: String| decoder.decode_batch(text.as_bytes()).map(|all| all.len());
    assert_eq!(elements(batch(1000)), Ok(1000));
    // What stands after the limit is not read: the text need not even end.
    let endless = batch(1001).replace(']', ",");
    for text in [batch(1001), batch(5000), endless] {
        let error = elements(text).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TooLarge);
        assert_eq!(
            error.to_string(),
            "element 1000, batch: more events than the limit; send smaller batches"
        );
    }

    let limits = Limits {
        batch_events: 0,
        ..Limits::default()
    };
    let decoder = Decoder::new(limits, Register::default());
    assert_eq!(decoder.decode_batch(b"[]"), Ok(Vec::new()));
    let error = decoder.decode_batch(batch(1).as_bytes()).unwrap_err();
    assert_eq!((error.place, error.element), (Place::Batch, Some(0)));
}

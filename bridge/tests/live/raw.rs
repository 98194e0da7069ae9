//! Kafka's own protocol, for what no client library here would send.

use std::io::{Read, Write};
use std::net::TcpStream;

/// Writes one record to partition 0 of a topic, with a header name of any bytes.
///
/// # Panics
/// When the broker does not take it.
pub(crate) fn write_with_header(brokers: &str, topic: &str, header: (&[u8], &[u8]), value: &[u8]) {
    let mut request = Vec::new();
    // Header: Produce, version 7, correlation 1, client "raw".
    request.extend([0, 0, 0, 7, 0, 0, 0, 1]);
    text(&mut request, b"raw");
    // No transaction, acknowledged by all, within 10 s; one topic with one partition, number 0.
    request.extend((-1i16).to_be_bytes());
    request.extend((-1i16).to_be_bytes());
    request.extend(10_000i32.to_be_bytes());
    request.extend(1i32.to_be_bytes());
    text(&mut request, topic.as_bytes());
    request.extend(1i32.to_be_bytes());
    request.extend(0i32.to_be_bytes());
    let batch = batch(header, value);
    request.extend(length(&batch));
    request.extend(batch);

    let answer = answer(brokers, &request);
    // Correlation, one topic, its name, one partition, its number; then the error code.
    let error = 4 + 4 + 2 + topic.len() + 4 + 4;
    assert_eq!(
        answer[error..error + 2],
        [0, 0],
        "the broker refused the record"
    );
}

/// What an access control list says of a user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// 2 for a topic, 3 for a group.
    pub(crate) resource: u8,
    pub(crate) name: &'a str,
    pub(crate) user: &'a str,
    /// 3 to read, 8 to describe.
    pub(crate) operation: u8,
    pub(crate) is_allowed: bool,
}

/// Adds a line to the access control list.
///
/// # Panics
/// When the broker does not take it.
pub(crate) fn control(brokers: &str, access: Access<'_>) {
    // CreateAcls, version 1, correlation 1, client "raw"; one line, for any host.
    let mut request = vec![0, 30, 0, 1, 0, 0, 0, 1];
    text(&mut request, b"raw");
    request.extend(1i32.to_be_bytes());
    request.push(access.resource);
    text(&mut request, access.name.as_bytes());
    request.push(LITERAL);
    text(&mut request, format!("User:{}", access.user).as_bytes());
    text(&mut request, b"*");
    request.extend([access.operation, if access.is_allowed { 3 } else { 2 }]);
    let answer = answer(brokers, &request);
    // Correlation, throttle time, one result; then the error code.
    assert_eq!(answer[12..14], [0, 0], "the broker refused {access:?}");
}

/// Takes every line about a resource off the access control list.
///
/// # Panics
/// When the broker does not.
pub(crate) fn release(brokers: &str, resource: u8, name: &str) {
    // DeleteAcls, version 1; one filter: any user, host, operation and permission.
    let mut request = vec![0, 31, 0, 1, 0, 0, 0, 1];
    text(&mut request, b"raw");
    request.extend(1i32.to_be_bytes());
    request.push(resource);
    text(&mut request, name.as_bytes());
    request.push(LITERAL);
    request.extend([0xff; 4]);
    request.extend([1, 1]);
    let answer = answer(brokers, &request);
    assert_eq!(answer[12..14], [0, 0], "the broker keeps its list");
}

const LITERAL: u8 = 3;

/// What a broker answers to a request.
fn answer(brokers: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(brokers).unwrap();
    stream.write_all(&length(request)).unwrap();
    stream.write_all(request).unwrap();
    let mut size = [0; 4];
    stream.read_exact(&mut size).unwrap();
    let mut answer = vec![0; usize::try_from(i32::from_be_bytes(size)).unwrap()];
    stream.read_exact(&mut answer).unwrap();
    answer
}

/// A record batch of version 2 with one record without a key.
fn batch((name, header): (&[u8], &[u8]), value: &[u8]) -> Vec<u8> {
    let mut record = vec![0, 0, 0];
    varint(&mut record, -1);
    bytes(&mut record, value);
    varint(&mut record, 1);
    bytes(&mut record, name);
    bytes(&mut record, header);
    // No attributes, one record, at a fixed time, without a producer's identity.
    let mut summed = Vec::new();
    summed.extend(0i16.to_be_bytes());
    summed.extend(0i32.to_be_bytes());
    summed.extend(1_790_000_000_000i64.to_be_bytes());
    summed.extend(1_790_000_000_000i64.to_be_bytes());
    summed.extend([0xff; 8 + 2 + 4]);
    summed.extend(1i32.to_be_bytes());
    bytes(&mut summed, &record);
    // Base offset, length of the rest, leader epoch, version, checksum.
    let mut batch = vec![0; 8];
    let rest = i32::try_from(4 + 1 + 4 + summed.len()).unwrap();
    batch.extend(rest.to_be_bytes());
    batch.extend([0xff; 4]);
    batch.push(2);
    batch.extend(crc32c(&summed).to_be_bytes());
    batch.extend(summed);
    batch
}

fn length(bytes: &[u8]) -> [u8; 4] {
    i32::try_from(bytes.len()).unwrap().to_be_bytes()
}

fn text(to: &mut Vec<u8>, text: &[u8]) {
    to.extend(i16::try_from(text.len()).unwrap().to_be_bytes());
    to.extend(text);
}

fn bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    varint(to, i64::try_from(bytes.len()).unwrap());
    to.extend(bytes);
}

/// Zigzag, seven bits at a time, the lowest first.
fn varint(to: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while rest >= 0x80 {
        to.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    to.push(rest.to_le_bytes()[0]);
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum: u32, _| {
            (sum >> 1) ^ (0x82f6_3b78 & (sum & 1).wrapping_neg())
        })
    })
}

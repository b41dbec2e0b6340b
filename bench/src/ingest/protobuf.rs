//! Writes Protocol Buffers messages.

/// A message that is being written.
#[derive(Default)]
pub(super) struct ProtobufMessage(pub(super) Vec<u8>);

impl ProtobufMessage {
    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut ProtobufMessage {
        self.varint(u64::from(field << 3 | 2)).varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn message(
        &mut self,
        field: u32,
        write: impl FnOnce(&mut ProtobufMessage),
    ) -> &mut ProtobufMessage {
        let mut inner = ProtobufMessage::default();
        write(&mut inner);
        self.bytes(field, &inner.0)
    }

    pub(super) fn number(&mut self, field: u32, number: u64) -> &mut ProtobufMessage {
        self.varint(u64::from(field << 3)).varint(number)
    }

    pub(super) fn fixed64(&mut self, field: u32, number: u64) -> &mut ProtobufMessage {
        self.varint(u64::from(field << 3 | 1));
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn varint(&mut self, mut number: u64) -> &mut ProtobufMessage {
        while 0x80 <= number {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_standard_shows_them() {
        let mut fields = ProtobufMessage::default();
        fields.number(1, 150).message(3, |inner| {
            inner.bytes(2, b"testing");
        });
        assert_eq!(fields.0, b"\x08\x96\x01\x1a\x09\x12\x07testing");
    }
}

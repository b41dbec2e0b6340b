//! Finds the commands in a stream of RELP, which is syslog with an acknowledgement for each message, so that a sender
//! can repeat lost ones. No I/O: bytes in, ranges out.
//!
//! `TXNR SP COMMAND SP DATALEN [SP DATA] LF`: numbers are decimal, with up to nine digits. If there is no data, there
//! is no space before the newline, but one is accepted.
//!
//! **Invariant:** no length that a sender names makes anything grow: data beyond the limit is skipped.

use crate::framing::Frame;
use logstead_record::Flags;

/// The maximum number of digits of a number.
const DIGITS_MAX: usize = 9;
/// The maximum length of a command's name.
const NAME_BYTES_MAX: usize = 32;

/// The request that a command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandName {
    /// To open a session, with offers.
    Open,
    /// To accept a message.
    Syslog,
    /// To close the session.
    Close,
    /// An unknown command.
    Other,
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelpCommand {
    /// The number that the answer has to repeat.
    pub number: u32,
    /// The kind of command.
    pub name: CommandName,
    /// Its data.
    pub data: Frame,
}

/// The reason why a stream is not RELP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelpError {
    /// A number is missing or too long.
    #[error("there is no number where a RELP {0} should be")]
    Number(&'static str),
    /// The name of a command is missing or too long.
    #[error("there is no name of a RELP command")]
    Name,
    /// The length of the data differs from the stated one.
    #[error("the data of a RELP command does not end with a newline")]
    End,
}

/// Splits the stream of one connection.
#[derive(Debug)]
pub struct Commands {
    data_max: usize,
    /// The number of bytes of overlong data that are still to come.
    skip: usize,
    /// Whether the newline after skipped data is still to come.
    skip_end: bool,
    read: ConsumedBytes,
}

/// The number of bytes that the last call read and skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumedBytes {
    /// The number of bytes that were read, even if those after them are not RELP.
    pub taken: usize,
    /// The number of these bytes that belong to no command, because the data was too long.
    pub skipped: usize,
}

/// The head of a command, before its data.
struct CommandHead {
    number: u32,
    name: CommandName,
    data_start: usize,
    length: usize,
}

impl Commands {
    /// The state at the beginning of a stream.
    pub fn new(data_max: usize) -> Commands {
        Commands { data_max, skip: 0, skip_end: false, read: ConsumedBytes::default() }
    }

    /// Appends the complete commands of `bytes`, and returns the number of bytes that they took. The caller passes
    /// the rest again, with more after it.
    pub fn split(&mut self, bytes: &[u8], commands: &mut Vec<RelpCommand>) -> Result<usize, RelpError> {
        self.read = ConsumedBytes::default();
        while let Some(next) = self.next(bytes, self.read.taken, commands)? {
            self.read.taken = next;
        }
        Ok(self.read.taken)
    }

    /// The number of bytes that the last [`Commands::split`] read.
    pub fn read(&self) -> ConsumedBytes {
        self.read
    }

    fn next(
        &mut self,
        bytes: &[u8],
        at: usize,
        commands: &mut Vec<RelpCommand>,
    ) -> Result<Option<usize>, RelpError> {
        let rest = &bytes[at..];
        if rest.is_empty() {
            return Ok(None);
        }
        if 0 < self.skip {
            let skipped = self.skip.min(rest.len());
            self.skip -= skipped;
            self.read.skipped += skipped;
            return Ok(Some(at + skipped));
        }
        if self.skip_end {
            self.skip_end = false;
            return if rest[0] == b'\n' { Ok(Some(at + 1)) } else { Err(RelpError::End) };
        }
        let Some(head) = head(bytes, at)? else { return Ok(None) };
        let start = head.data_start;
        let kept = head.length.min(self.data_max);
        let is_cut = kept < head.length;
        let needed = if is_cut { kept } else { kept + 1 };
        if bytes.len() - start < needed {
            return Ok(None);
        }
        let flags = if is_cut { Flags::TRUNCATED } else { Flags::default() };
        let data = Frame { start: start as u32, end: (start + kept) as u32, flags };
        if is_cut {
            (self.skip, self.skip_end) = (head.length - kept, true);
        } else if bytes[start + kept] != b'\n' {
            return Err(RelpError::End);
        }
        commands.push(RelpCommand { number: head.number, name: head.name, data });
        Ok(Some(start + needed))
    }
}

/// The head of a command at `at`; `None` if more bytes are needed.
fn head(bytes: &[u8], at: usize) -> Result<Option<CommandHead>, RelpError> {
    let Some((number, at)) = number(bytes, at, "transaction")? else { return Ok(None) };
    if bytes.get(at).is_some_and(|&byte| byte != b' ') {
        return Err(RelpError::Number("transaction"));
    }
    let Some(rest) = bytes.get(at + 1..) else { return Ok(None) };
    let length = rest.iter().take(NAME_BYTES_MAX + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = match (&rest[..length], rest.get(length)) {
        (_, _) if NAME_BYTES_MAX < length => return Err(RelpError::Name),
        (_, None) => return Ok(None),
        (name, Some(b' ')) if !name.is_empty() => name_of(name),
        _ => return Err(RelpError::Name),
    };
    let Some((length, at)) = self::number(bytes, at + 1 + length + 1, "length")? else { return Ok(None) };
    let data_start = match bytes.get(at) {
        Some(b' ') => at + 1,
        Some(b'\n') if length == 0 => at,
        Some(_) => return Err(RelpError::Number("length")),
        None => return Ok(None),
    };
    Ok(Some(CommandHead { number, name, data_start, length: length as usize }))
}

/// The number at `at` and the position after it; `None` if more bytes may belong to it.
fn number(bytes: &[u8], at: usize, what: &'static str) -> Result<Option<(u32, usize)>, RelpError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let digits = rest.iter().take(DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if DIGITS_MAX < digits || (digits == 0 && !rest.is_empty()) {
        return Err(RelpError::Number(what));
    }
    if digits == rest.len() {
        return Ok(None);
    }
    let value = rest[..digits].iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
    Ok(Some((value, at + digits)))
}

fn name_of(name: &[u8]) -> CommandName {
    match name {
        b"syslog" => CommandName::Syslog,
        b"open" => CommandName::Open,
        b"close" => CommandName::Close,
        _ => CommandName::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Found = Vec<(u32, CommandName, Vec<u8>, Flags)>;

    /// The result if the pieces arrive one after the other.
    fn run(pieces: &[&[u8]]) -> Result<Found, RelpError> {
        let mut splitter = Commands::new(10);
        let (mut pending, mut found, mut commands) = (Vec::new(), Vec::new(), Vec::new());
        for piece in pieces {
            pending.extend_from_slice(piece);
            let taken = splitter.split(&pending, &mut commands)?;
            for RelpCommand { number, name, data } in commands.drain(..) {
                found.push((
                    number,
                    name,
                    pending[data.start as usize..data.end as usize].to_vec(),
                    data.flags,
                ));
            }
            pending.drain(..taken);
        }
        Ok(found)
    }

    fn check(stream: &str, expected: &[(u32, CommandName, &str, Flags)]) {
        let expected = expected
            .iter()
            .map(|(number, name, data, flags)| (*number, *name, data.as_bytes().to_vec(), *flags));
        assert_eq!(run(&[stream.as_bytes()]), Ok(expected.collect::<Vec<_>>()), "{stream:?}");
    }

    const WHOLE: Flags = Flags(0);

    #[test]
    fn commands_have_a_number_a_name_and_data() {
        check(
            "1 open 3 a=b\n2 syslog 5 <1>\na\n999999999 close 0\n",
            &[
                (1, CommandName::Open, "a=b", WHOLE),
                (2, CommandName::Syslog, "<1>\na", WHOLE),
                (999_999_999, CommandName::Close, "", WHOLE),
            ],
        );
        check("1 starttls 0 \n", &[(1, CommandName::Other, "", WHOLE)]);
        check("1 syslog 5 <1>", &[]);
    }

    #[test]
    fn data_that_is_too_long_is_cut_and_what_follows_is_clean() {
        check(
            "1 syslog 12 0123456789ab\n2 close 0\n",
            &[(1, CommandName::Syslog, "0123456789", Flags::TRUNCATED), (2, CommandName::Close, "", WHOLE)],
        );
        check("1 syslog 999999999 0123456789", &[(1, CommandName::Syslog, "0123456789", Flags::TRUNCATED)]);
    }

    #[test]
    fn what_is_no_relp_is_said() {
        let check = |stream: &str, expected: RelpError| {
            assert_eq!(run(&[stream.as_bytes()]), Err(expected), "{stream:?}");
        };
        check("<13>a\n", RelpError::Number("transaction"));
        check("1234567890 open 0\n", RelpError::Number("transaction"));
        check("1 2 3\n", RelpError::Number("length"));
        check("1  0\n", RelpError::Name);
        check("1 open x\n", RelpError::Number("length"));
        check("1 open 2\n", RelpError::Number("length"));
        check("1 syslog 2 abc\n", RelpError::End);
        check("1 syslog 12 0123456789abc", RelpError::End);
    }

    proptest! {
        #[test]
        fn where_a_stream_is_cut_into_reads_makes_no_difference(
            stream in "([0-9]{1,3} (open|syslog|close|x) (0\n|3 a b\n|12 0123456789ab\n)|[0-9 a]{1,3}){0,9}",
            cuts in proptest::collection::vec(0_usize..200, 0..6),
        ) {
            let bytes = stream.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(run(&pieces), run(&[bytes]));
        }
    }
}

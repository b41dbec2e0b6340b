//! One RELP connection: takes messages, and answers each once it is durable, in the order in which they arrived.
//!
//! While messages cannot be stored, answers wait and the sender's window fills; nothing is refused.

use crate::connection::SourceConnection;
use crate::context::{OUT_OF_STEP, SourceContext, TOO_LONG, UNFINISHED};
use crate::stream::BufferedReader;
use logstead_flow::chunk::{Chunk, ChunkOrder, MessageSender};
use logstead_flow::receipt::StoreOutcome;
use logstead_syslog::framing::Frame;
use logstead_syslog::relp::{CommandName, Commands, ConsumedBytes, RelpCommand};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// The time for which a sender may leave answers unread before it counts as gone.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(60);
/// The time for which a stop waits for received messages to become durable.
const STOP_WAIT_MAX: Duration = Duration::from_secs(1);
/// The server's offers, which follow the status.
const OFFERS: &str = "relp_software=logstead\ncommands=syslog";

/// An answer that is due in the order of the commands.
enum PendingAnswer {
    /// The answer can be sent.
    Ready(Vec<u8>),
    /// The answers to these messages wait until the messages are durable.
    Waiting { numbers: Vec<u32>, outcome: oneshot::Receiver<StoreOutcome> },
}

/// The reason why a connection ends.
enum SessionEnd {
    /// The sender closed the connection, or is gone.
    Gone,
    /// The source was told to stop.
    Stopped,
    /// The sender does not speak RELP.
    Malformed(String),
}

struct RelpSession<'a> {
    shared: &'a SourceContext,
    connection: SourceConnection,
    sender: MessageSender,
    /// The number of the connection, and the number of chunks so far.
    order: ChunkOrder,
    commands: Commands,
    reader: BufferedReader,
    answers: VecDeque<PendingAnswer>,
    is_open: bool,
    /// Whether the sender has asked to close the connection.
    is_closing: bool,
}

/// Serves a connection to its end, or until told to stop.
pub(crate) async fn serve(
    shared: &SourceContext,
    connection: SourceConnection,
    sender: MessageSender,
    stopped: watch::Receiver<bool>,
) {
    let frame_max = shared.settings.load().frame_max;
    let mut session = RelpSession {
        shared,
        connection,
        sender,
        order: ChunkOrder { connection: shared.next_connection(), chunk: 0 },
        commands: Commands::new(frame_max),
        reader: BufferedReader::new(),
        answers: VecDeque::new(),
        is_open: false,
        is_closing: false,
    };
    let end = session.run(stopped).await;
    let why = if matches!(end, SessionEnd::Malformed(_)) { OUT_OF_STEP } else { UNFINISHED };
    shared.no_message(&session.sender, why, &session.reader.pending);
    match end {
        SessionEnd::Gone => {}
        SessionEnd::Stopped => session.say_goodbye().await,
        SessionEnd::Malformed(message) => {
            let address = session.sender.address.clone();
            shared.refuse("relp_protocol", &address, &message);
        }
    }
    session.connection.close().await;
}

impl RelpSession<'_> {
    async fn run(&mut self, mut stopped: watch::Receiver<bool>) -> SessionEnd {
        loop {
            if self.is_closing && self.answers.is_empty() {
                return SessionEnd::Gone;
            }
            let hold_more = self.reader.was_full && self.connection.may_hold_more();
            let due = tokio::select! {
                readable = async { if hold_more { Ok(()) } else { self.connection.readable().await } } => {
                    if readable.is_err() {
                        return SessionEnd::Gone;
                    }
                    None
                }
                answer = due(&mut self.answers) => Some(answer),
                _ = stopped.wait_for(|stopped| *stopped) => return SessionEnd::Stopped,
            };
            let done = match due {
                Some(answer) => self.answer(answer).await.map_err(|()| SessionEnd::Gone),
                None => self.read().await,
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Reads the available bytes and passes them on.
    async fn read(&mut self) -> Result<(), SessionEnd> {
        let policy = self.shared.settings.load().coalesce;
        let ended = self.reader.read_late(&mut self.connection, policy).await;
        self.reader.waiting.seal(Instant::now());
        let mut commands = Vec::new();
        let split = self.commands.split(&self.reader.pending, &mut commands);
        let ConsumedBytes { taken, skipped } = self.commands.read();
        let rest = self.reader.pending[taken..].to_vec();
        let mut bytes = std::mem::replace(&mut self.reader.pending, rest);
        bytes.truncate(taken);
        self.shared.left_out(&self.sender, TOO_LONG, skipped, &[]);
        let messages = commands.iter().filter(|command| command.name == CommandName::Syslog);
        let message_bytes =
            messages.map(|message| (message.data.end - message.data.start) as usize).sum::<usize>();
        self.shared.counters.framing_bytes.add(taken - skipped - message_bytes);
        self.take(bytes, &commands).await?;
        match split {
            Err(malformed) => Err(SessionEnd::Malformed(malformed.to_string())),
            Ok(_) if ended => Err(SessionEnd::Gone),
            Ok(_) => Ok(()),
        }
    }

    /// Carries out the commands. Consecutive messages become one chunk.
    async fn take(&mut self, bytes: Vec<u8>, commands: &[RelpCommand]) -> Result<(), SessionEnd> {
        let is_message = |command: &RelpCommand| command.name == CommandName::Syslog;
        let mut bytes = Some(bytes);
        let mut left = commands.len();
        for run in commands.chunk_by(|a, b| is_message(a) == is_message(b)) {
            left -= run.len();
            if is_message(&run[0]) {
                let all = bytes.take_if(|_| left == 0);
                let part = all.or_else(|| bytes.clone()).unwrap_or_default();
                self.submit(part, run).await?;
            } else {
                let all = bytes.as_deref().unwrap_or_default();
                for command in run {
                    self.control(command, &all[command.data.start as usize..command.data.end as usize])?;
                }
            }
        }
        Ok(())
    }

    async fn submit(&mut self, bytes: Vec<u8>, messages: &[RelpCommand]) -> Result<(), SessionEnd> {
        if !self.is_open {
            for message in messages {
                let data = &bytes[message.data.start as usize..message.data.end as usize];
                self.shared.no_message(&self.sender, OUT_OF_STEP, data);
            }
            return Err(SessionEnd::Malformed("a RELP message came before `open`".to_owned()));
        }
        let frames: Vec<Frame> = messages.iter().map(|command| command.data).collect();
        let numbers = messages.iter().map(|command| command.number).collect();
        self.order.chunk += 1;
        let chunk = Chunk { order: self.order, ..Chunk::of(bytes, frames, &self.sender) };
        let outcome = self.shared.submit_confirmed(chunk).await;
        self.answers.push_back(PendingAnswer::Waiting { numbers, outcome });
        Ok(())
    }

    /// Answers a command that is not a message.
    fn control(&mut self, command: &RelpCommand, data: &[u8]) -> Result<(), SessionEnd> {
        let answer = match command.name {
            CommandName::Open => {
                self.is_open = true;
                response(command.number, &opened(data))
            }
            CommandName::Close => {
                self.is_closing = true;
                response(command.number, "")
            }
            CommandName::Syslog | CommandName::Other => {
                response(command.number, "500 this command is not known")
            }
        };
        self.answers.push_back(PendingAnswer::Ready(answer));
        Ok(())
    }

    /// Sends an answer, and all those after it that are ready.
    async fn answer(&mut self, first: Vec<u8>) -> Result<(), ()> {
        let mut text = first;
        while let Some(next) = ready(&mut self.answers) {
            text.extend_from_slice(&next);
        }
        match tokio::time::timeout(ANSWER_WAIT_MAX, self.connection.write_all(&text)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(()),
            Err(_) => {
                let message = format!("the sender read no answer for {} seconds", ANSWER_WAIT_MAX.as_secs());
                self.shared.refuse("relp_answers_unread", &self.sender.address, &message);
                Err(())
            }
        }
    }

    /// Sends the answers that become ready soon, and asks the sender to close. It sends unanswered messages again
    /// later.
    async fn say_goodbye(&mut self) {
        let answering = async {
            while !self.answers.is_empty() {
                let answer = due(&mut self.answers).await;
                self.answer(answer).await?;
            }
            Ok::<(), ()>(())
        };
        if let Ok(Err(())) = tokio::time::timeout(STOP_WAIT_MAX, answering).await {
            return;
        }
        let goodbye = self.connection.write_all(b"0 serverclose 0\n");
        // The connection ends either way.
        tokio::time::timeout(STOP_WAIT_MAX, goodbye).await.ok();
    }
}

/// The oldest answer, once it is ready; waits forever if there is none.
async fn due(answers: &mut VecDeque<PendingAnswer>) -> Vec<u8> {
    let text = match answers.front_mut() {
        None => std::future::pending().await,
        Some(PendingAnswer::Ready(text)) => std::mem::take(text),
        Some(PendingAnswer::Waiting { numbers, outcome }) => match outcome.await {
            Ok(outcome) => acknowledged(numbers, &outcome),
            // The server is stopping: the sender is told, and sends the messages again.
            Err(_) => std::future::pending().await,
        },
    };
    answers.pop_front();
    text
}

/// The oldest answer, if it is ready.
fn ready(answers: &mut VecDeque<PendingAnswer>) -> Option<Vec<u8>> {
    let text = match answers.front_mut()? {
        PendingAnswer::Ready(text) => std::mem::take(text),
        PendingAnswer::Waiting { numbers, outcome } => match outcome.try_recv() {
            Err(oneshot::error::TryRecvError::Empty) => return None,
            Err(oneshot::error::TryRecvError::Closed) => return None,
            Ok(outcome) => acknowledged(numbers, &outcome),
        },
    };
    answers.pop_front();
    Some(text)
}

/// The answers to messages that were passed on together.
fn acknowledged(numbers: &[u32], outcome: &StoreOutcome) -> Vec<u8> {
    // Messages that the routes dropped count as accepted: the protocol has no other status for them.
    let failure = outcome.as_ref().err();
    let mut text = Vec::with_capacity(numbers.len() * 24);
    for number in numbers {
        match failure {
            None => {
                write_number(*number, &mut text);
                text.extend_from_slice(b" rsp 6 200 OK\n");
            }
            Some(failed) => text.extend_from_slice(&response(*number, &format!("500 {failed}"))),
        }
    }
    text
}

/// Writes a number. There is one for each message, so this does without a format string.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 10];
    let mut first = digits.len() - 1;
    loop {
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
        first -= 1;
    }
    out.extend_from_slice(&digits[first..]);
}

fn response(number: u32, data: &str) -> Vec<u8> {
    if data.is_empty() {
        return format!("{number} rsp 0\n").into_bytes();
    }
    format!("{number} rsp {} {data}\n", data.len()).into_bytes()
}

/// The answer to a sender's offers, in its version of the protocol.
fn opened(offers: &[u8]) -> String {
    let version = offers.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"relp_version="));
    let version = if version.is_some_and(|version| version.trim_ascii() == b"0") { 0 } else { 1 };
    format!("200 OK\nrelp_version={version}\n{OFFERS}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_flow::receipt::{StoreFailure, StoreSummary};

    #[test]
    fn the_version_is_the_one_that_the_sender_offers() {
        assert!(opened(b"relp_version=0\nrelp_software=x").contains("relp_version=0\n"));
        assert!(opened(b"relp_version=1\ncommands=syslog").contains("relp_version=1\n"));
        assert!(opened(b"").starts_with("200 OK\nrelp_version=1\n"));
    }

    #[test]
    fn each_message_is_answered_by_its_number() {
        let text = acknowledged(&[7, 8], &Ok(StoreSummary::default()));
        assert_eq!(text, b"7 rsp 6 200 OK\n8 rsp 6 200 OK\n");
        let text = acknowledged(&[0, 10, 999_999_999], &Ok(StoreSummary::default()));
        assert_eq!(text, b"0 rsp 6 200 OK\n10 rsp 6 200 OK\n999999999 rsp 6 200 OK\n");
        let text = acknowledged(&[9], &Err(StoreFailure::nowhere("disk full")));
        assert_eq!(text, b"9 rsp 13 500 disk full\n");
    }
}

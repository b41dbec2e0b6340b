//! Takes the records of a request from its body to the journal.
//!
//! **Invariant:** all bytes of requests under way are reserved in the source's budget: twice the length of a body, for
//! itself and for the messages read from it. A batch takes its share of that along, so nothing waits while it holds
//! something. A request that would wait for more while all others wait gives up what it holds.

use super::RequestFormat;
use super::reply::RequestFailure;
use crate::context::SourceContext;
use hyper::body::{Body, Incoming};
use logstead_flow::budget::Budget;
use logstead_flow::chunk::MessageSender;
use logstead_flow::gate::SendToken;
use logstead_flow::holders::{Holder, Holders};
use logstead_flow::machine::clock;
use logstead_ingest::batches::{self, Batches};
use logstead_ingest::encoding::{Encoding as Packing, UnpackError, Unpacker};
use logstead_ingest::marks::Marks;
use logstead_ingest::messages::{BodyError, Messages, NextMessage};
use logstead_ingest::otlp::{Code, OtlpBody, OtlpReply, Status};
use logstead_record::BatchBuilder;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// The maximum time that a body may pause, and that it may take in total.
const REST_MAX: Duration = Duration::from_secs(30);
const BODY_WAIT_MAX: Duration = Duration::from_secs(300);
/// The time for which a request waits in total for room in its source's budget before its sender is told to try again.
const ROOM_WAIT_MAX: Duration = Duration::from_secs(10);
/// The time after which the sender should try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The number of records that a request may hold.
const RECORDS_MAX: usize = 1 << 20;
/// The memory for each byte of a body, including the records read from it.
const BODY_FACTOR: usize = 2;
/// The number of bytes that are read of a refused body, and the time limit for that.
const DRAIN_BYTES_MAX: usize = 64 << 20;
const DRAIN_WAIT_MAX: Duration = Duration::from_secs(5);
/// The length of the prefix of a gRPC message, which states whether it is packed, and its length.
const PREFIX_BYTES: usize = 5;

/// Stores the messages of a body.
pub(super) async fn store(
    shared: &SourceContext,
    sender: &MessageSender,
    pass: Option<&dyn SendToken>,
    body: &mut Incoming,
    form: RequestFormat,
) -> Result<OtlpReply, RequestFailure> {
    let of_token = pass.and_then(SendToken::body_bytes_max).unwrap_or(usize::MAX);
    let bytes_max = shared.settings.load().frame_max.min(of_token);
    let mut room = BodyReservation::new(shared);
    let reading = read(body, bytes_max, &mut room);
    let read = tokio::time::timeout(BODY_WAIT_MAX, reading).await.unwrap_or_else(|_| Err(too_slow()))?;
    let (body, packing) = if form.is_grpc { unframed(read, form.packing)? } else { (read, form.packing) };
    let body = unpack(body, packing, bytes_max, &mut room).await?;
    let body_bytes = body.len();
    let (host, encoding, field) = (sender.host.clone(), form.encoding, sender.field.clone());
    let otlp = blocking(move || OtlpBody::of(body, encoding, &host, RECORDS_MAX)).await?.map_err(refused)?;
    let (source, peer) = (shared.id.to_string(), sender.address.to_string());
    let sender = batches::BodySender { source, peer, received: clock::now() };
    let batches = Batches::within(WithField { messages: otlp, field }, sender, bytes_max).map_err(refused)?;
    // The charge includes the parts of a resource that each record repeats.
    charge(pass, 0, batches.rest_bytes().max(body_bytes));
    store_all(shared, pass, batches, room.permit).await
}

fn charge(pass: Option<&dyn SendToken>, messages: usize, bytes: usize) {
    if let Some(pass) = pass {
        pass.charge(messages, bytes);
    }
}

async fn store_all<M: Messages>(
    shared: &SourceContext,
    pass: Option<&dyn SendToken>,
    mut batches: Batches<M>,
    mut reserved: Option<OwnedSemaphorePermit>,
) -> Result<OtlpReply, RequestFailure> {
    while 0 < batches.rest_bytes() {
        let (before, surplus) = (batches.rest_bytes(), batches.surplus_bytes().unwrap_or_default());
        let batch;
        (batch, batches) = blocking(move || (batches.next_batch(), batches)).await?;
        let more = batches.surplus_bytes().map_err(refused)? - surplus;
        if batch.rows() == 0 {
            continue;
        }
        charge(pass, batch.rows(), more);
        let share = share_of(&mut reserved, before - batches.rest_bytes(), before);
        let Some(share) = share else { return Err(held_back("no memory is reserved for it")) };
        match shared.submit_batch(batch, share).await {
            Ok(Ok(_)) => {}
            Ok(Err(reason)) => return Err(held_back(&format!("the records could not be stored: {reason}"))),
            Err(_) => return Err(held_back("the server is stopping")),
        }
    }
    let message = match batches.refusals.first() {
        Some(first) => {
            format!(
                "{} not accepted; the first one, record {}: {}",
                batches.refused, first.number, first.reason
            )
        }
        None => String::new(),
    };
    Ok(OtlpReply { rejected: batches.refused, message })
}

/// Splits off the share of one batch.
fn share_of(
    reserved: &mut Option<OwnedSemaphorePermit>,
    bytes: usize,
    of: usize,
) -> Option<OwnedSemaphorePermit> {
    let reserved = reserved.as_mut()?;
    let all = reserved.num_permits();
    let share = if bytes == of { all } else { (all as f64 * bytes as f64 / of as f64) as usize };
    reserved.split(share.min(all))
}

/// The memory that is reserved for a request.
struct BodyReservation<'a> {
    budget: &'a Budget,
    holders: &'a Holders,
    /// Set once it holds something.
    holder: Option<Holder<'a>>,
    permit: Option<OwnedSemaphorePermit>,
    bytes: usize,
    waited: Duration,
}

impl<'a> BodyReservation<'a> {
    fn new(shared: &'a SourceContext) -> BodyReservation<'a> {
        let (budget, holders) = (&shared.budget, &shared.bodies);
        BodyReservation { budget, holders, holder: None, permit: None, bytes: 0, waited: Duration::ZERO }
    }

    /// Reserves memory for a body that has reached this length.
    async fn grow(&mut self, body_bytes: usize) -> Result<(), RequestFailure> {
        let bytes = (body_bytes * BODY_FACTOR).clamp(1, self.budget.bytes_max());
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let more_permit = match self.budget.try_reserve(more) {
            Some(permit) => permit,
            None => self.wait(more).await?,
        };
        match &mut self.permit {
            Some(permit) => permit.merge(more_permit),
            None => self.permit = Some(more_permit),
        }
        self.holder.get_or_insert_with(|| self.holders.join());
        self.bytes = bytes;
        Ok(())
    }

    async fn wait(&mut self, bytes: usize) -> Result<OwnedSemaphorePermit, RequestFailure> {
        let waits = self.holder.as_ref().map(|holder| {
            holder.wait().ok_or_else(|| held_back("too many long requests at once: send it again"))
        });
        let _waits = waits.transpose()?;
        let begun = Instant::now();
        let left = ROOM_WAIT_MAX.saturating_sub(self.waited);
        let reserved = tokio::time::timeout(left, self.budget.reserve(bytes)).await;
        self.waited += begun.elapsed();
        reserved.map_err(|_| held_back("the store cannot keep up: send again later"))
    }
}

async fn read(
    body: &mut Incoming,
    bytes_max: usize,
    room: &mut BodyReservation<'_>,
) -> Result<Vec<u8>, RequestFailure> {
    if body.size_hint().lower() > (bytes_max + PREFIX_BYTES) as u64 {
        return Err(too_long(bytes_max));
    }
    let mut whole = Vec::new();
    room.grow(0).await?;
    loop {
        let next = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
        let frame = match tokio::time::timeout(REST_MAX, next).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => {
                return Err(
                    Status::new(Code::InvalidArgument, format!("the body breaks off: {error}")).into()
                );
            }
            Ok(None) => return Ok(whole),
            Err(_) => return Err(too_slow()),
        };
        let Ok(data) = frame.into_data() else { continue };
        if bytes_max + PREFIX_BYTES < whole.len() + data.len() {
            return Err(too_long(bytes_max));
        }
        room.grow(whole.len() + data.len()).await?;
        whole.extend_from_slice(&data);
    }
}

/// Reads the rest of a refused body, within limits: a sender that is answered before it has sent everything may take
/// that for a broken connection.
pub(super) async fn drain(body: &mut Incoming) {
    let rest = async {
        let mut bytes = 0;
        while bytes < DRAIN_BYTES_MAX {
            let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
            let Some(Ok(frame)) = frame else { return };
            bytes += frame.data_ref().map_or(0, |data| data.len());
        }
    };
    tokio::time::timeout(DRAIN_WAIT_MAX, rest).await.ok();
}

/// The single message in a gRPC body, and its packing.
fn unframed(mut body: Vec<u8>, packing: Packing) -> Result<(Vec<u8>, Packing), RequestFailure> {
    let malformed = |message: &str| RequestFailure::from(Status::new(Code::InvalidArgument, message));
    let Some((prefix, message)) = body.split_first_chunk::<PREFIX_BYTES>() else {
        return Err(malformed("the body is too short for a gRPC message"));
    };
    let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]);
    if length as usize != message.len() {
        return Err(malformed("the body is not exactly one gRPC message of the length that it states"));
    }
    let packing = match prefix[0] {
        0 => Packing::Identity,
        1 if packing != Packing::Identity => packing,
        _ => return Err(malformed("the message is compressed, and `grpc-encoding` does not say how")),
    };
    body.drain(..PREFIX_BYTES);
    Ok((body, packing))
}

async fn unpack(
    body: Vec<u8>,
    packing: Packing,
    bytes_max: usize,
    room: &mut BodyReservation<'_>,
) -> Result<Vec<u8>, RequestFailure> {
    if packing == Packing::Identity {
        return Ok(body);
    }
    let packed_bytes = body.len();
    let mut unpacker = Unpacker::of(packing, body, bytes_max).map_err(packed)?;
    let mut bytes = 0;
    loop {
        let step;
        (step, unpacker) = blocking(move || (unpacker.step(), unpacker)).await?;
        match step.map_err(packed)? {
            0 => return Ok(unpacker.whole()),
            more => bytes += more,
        }
        room.grow(packed_bytes + bytes).await?;
    }
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RequestFailure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| held_back(&error.to_string()))
}

fn refused(refused: BodyError) -> RequestFailure {
    match refused {
        BodyError::Malformed { detail, .. } => Status::new(Code::InvalidArgument, detail).into(),
        BodyError::TooMany { messages_max } => {
            let message = format!("the request holds more than {messages_max} records: send it in parts");
            Status::new(Code::ResourceExhausted, message).into()
        }
        BodyError::TooMuch { .. } => Status::new(Code::ResourceExhausted, refused.to_string()).into(),
        BodyError::Packed(error) => packed(error),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is used as a function of an error")]
fn packed(error: UnpackError) -> RequestFailure {
    let code = match error {
        UnpackError::Unknown(_) => Code::Unimplemented,
        UnpackError::Damaged { .. } => Code::InvalidArgument,
        UnpackError::TooLong { .. } => Code::ResourceExhausted,
    };
    Status::new(code, error.to_string()).into()
}

fn too_long(bytes_max: usize) -> RequestFailure {
    let message = format!(
        "the request is longer than {bytes_max} bytes: send it in parts, or raise `request_max` or the token's limit"
    );
    Status::new(Code::ResourceExhausted, message).into()
}

fn too_slow() -> RequestFailure {
    RequestFailure { http: Some(408), ..held_back("the body comes too slowly") }
}

pub(super) fn held_back(message: &str) -> RequestFailure {
    Status { retry_after: Some(RETRY_AFTER), ..Status::new(Code::Unavailable, message) }.into()
}

/// Messages that each get a field about their sender.
struct WithField<M> {
    messages: M,
    field: Option<(&'static str, Arc<str>)>,
}

impl<M: Messages> Messages for WithField<M> {
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage> {
        let next = self.messages.next(builder)?;
        if let (Some((name, value)), NextMessage::Added { .. }) = (&self.field, &next) {
            builder.field_of_last(name.as_bytes(), value.as_bytes());
        }
        Some(next)
    }

    fn rest_bytes(&self) -> usize {
        self.messages.rest_bytes()
    }

    fn restart(&mut self) {
        self.messages.restart();
    }

    fn marks(&self) -> Option<Marks> {
        self.messages.marks()
    }
}

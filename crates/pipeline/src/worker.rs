//! Workers turn chunks of frames into batches, route them, and pass them on: encoded to logspaces, shared to forward
//! destinations. Any worker may take any chunk, so a single busy connection can use all of them; a small chunk whose sender
//! waits for it is worked on by the thread that read it.

use super::copies::{Copies, noted};
use super::gaps::Gaps;
use super::running::{RouteCount, RunningState, TargetDelivery};
use arc_swap::ArcSwap;
use logstead_flow::chunk::Chunk;
use logstead_flow::count_claim::{CountClaim, TargetRows, claims};
use logstead_flow::counters::{Counters, SourceCounters};
use logstead_flow::ledger::{AccountSlot, JournalId, Ledger};
use logstead_flow::machine::priority::{self, ThreadPriority};
use logstead_flow::queue::{WorkHere, WorkItem, WorkReceiver};
use logstead_flow::receipt::Receipt;
use logstead_flow::senders::{ReceivedVia, Senders};
use logstead_flow::sequel::Sequel;
use logstead_flow::writer::Append;
use logstead_indexer::{EncodedBatch, encode};
use logstead_record::{Batch, BatchBuilder, Flags, Origin, Timestamp};
use logstead_route::{BatchAttempt, DroppedRows, StepEvent, TargetDelivery as RoutedTo, Watch};
use logstead_syslog::format::{FrameContext, Parser};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// A worker, which parses and routes batches.
pub(crate) struct Worker {
    pub work: WorkReceiver,
    pub context: Arc<WorkContext>,
}

/// Does the work of a worker on other threads, for as long as there are workers.
pub(crate) struct WorkerHere {
    context: Weak<WorkContext>,
    builder: Mutex<BatchBuilder>,
}

/// The parts of the process that workers use.
pub(crate) struct WorkContext {
    pub running: Arc<ArcSwap<RunningState>>,
    pub counters: Arc<Counters>,
    pub ledger: Arc<Ledger>,
    pub senders: Arc<Senders>,
    /// The gaps in the sequence numbers, by source.
    pub gaps: Mutex<HashMap<Arc<str>, Gaps>>,
}

impl Worker {
    /// Runs until told to stop.
    pub(crate) fn run(mut self) {
        priority::give_way(ThreadPriority::BelowNormal);
        let mut builder = BatchBuilder::new();
        while let Some(work) = self.work.next_work() {
            self.context.work_safely(work, &mut builder);
        }
    }
}

impl WorkerHere {
    pub(crate) fn new(context: &Arc<WorkContext>) -> WorkerHere {
        WorkerHere { context: Arc::downgrade(context), builder: Mutex::default() }
    }
}

impl WorkHere for WorkerHere {
    fn work_here(&self, work: WorkItem) -> Result<(), Box<WorkItem>> {
        // Another source that is at it is not waited for.
        match (self.context.upgrade(), self.builder.try_lock()) {
            (Some(context), Some(mut builder)) => {
                context.work_safely(work, &mut builder);
                Ok(())
            }
            _ => Err(Box::new(work)),
        }
    }
}

impl WorkContext {
    /// Works such that a bug triggered by one message does not affect the others.
    fn work_safely(&self, work: WorkItem, builder: &mut BatchBuilder) {
        if catch_unwind(AssertUnwindSafe(|| self.work(work, builder))).is_err() {
            tracing::error!("a bug in a worker: the messages of one read may be lost; please report it");
            *builder = BatchBuilder::new();
        }
    }

    fn work(&self, work: WorkItem, builder: &mut BatchBuilder) {
        match work {
            WorkItem::Chunk { chunk, source, parser, counters, received, pending } => {
                let reading = ChunkReader { chunk: &chunk, source: &source, parser: &parser, received };
                let (batch, failures) = parse(&reading, builder);
                note_failures(failures, &source, &counters);
                self.senders.add(&batch, &ReceivedVia { source: &source, transport: &|row| chunk.via(row) });
                let bytes = chunk.frames.iter().map(|frame| (frame.end - frame.start) as usize).sum();
                drop(chunk);
                self.received(&batch, &source, &pending.receipt);
                count(&batch, bytes, &counters);
                self.route(&Arc::new(batch), &source, &counters, &[], &pending.receipt);
                pending.done();
            }
            WorkItem::Batch { batch, source, counters, logspace, had, pending } => {
                self.senders.add(&batch, &ReceivedVia { source: &source, transport: &|_| "" });
                self.received(&batch, &source, &pending.receipt);
                count(&batch, batch.columns().message().bytes().len(), &counters);
                match logspace {
                    Some(id) => self.store(&id, batch, &had, &pending.receipt),
                    None => self.route(&batch, &source, &counters, &had, &pending.receipt),
                }
                pending.done();
            }
            WorkItem::Stop => {}
        }
    }

    fn received(&self, batch: &Batch, source: &Arc<str>, receipt: &Receipt) {
        let Some(slot) = AccountSlot::of(batch) else { return };
        receipt.received(&self.ledger, slot, batch.rows());
        if Gaps::concern(batch) {
            let lost = self.gaps.lock().entry(source.clone()).or_default().look(batch);
            self.ledger.lost_before(source, "sequence_gap", lost as usize);
        }
    }

    /// Passes a batch to the targets of its routes, except those that already have it.
    fn route(
        &self,
        batch: &Arc<Batch>,
        source: &str,
        counters: &SourceCounters,
        had: &[JournalId],
        receipt: &Receipt,
    ) {
        let running = self.running.load();
        let (attempt, watch) = (receipt.attempt(), &mut StepCounter(&running.routes));
        let routed = running.router.route_attempt(batch, source, watch, attempt);
        attempt.into_iter().flat_map(|attempt| attempt.followed()).for_each(|other| follow(receipt, &other));
        for (count, taken) in running.routes.iter().zip(&routed.taken) {
            count.route.messages.add(*taken);
        }
        for DroppedRows { route, step, rows } in &routed.dropped {
            let id = running.router.routes().nth(*route).unwrap_or_default();
            receipt.dropped(format!("route:{id}/step:{}", step + 1), rows.count());
        }
        receipt.dropped("destination_disabled".to_owned(), routed.disabled.count());
        counters.unrouted.add(routed.unrouted);
        self.counters.unrouted.add(routed.unrouted);
        receipt.unrouted(routed.unrouted);
        let given = routed.deliveries.iter().map(|delivery| TargetRows {
            is_logspace: running.targets[delivery.target].is_logspace(),
            rows: &delivery.rows,
        });
        let claims = claims(&given.collect::<Vec<_>>());
        let copies = running.copies(&routed.deliveries);
        let mut parts = Vec::new();
        for ((routed, claim), copies) in routed.deliveries.into_iter().zip(claims).zip(copies) {
            if had.contains(&running.targets[routed.target].journal_id()) {
                receipt.repeated(claim.kept_before());
            } else {
                parts.push(TargetPart { routed, claim, copies, refusal: None });
            }
        }
        if 1 < parts.len() && receipt.is_awaited() {
            // Otherwise only some targets might get the batch, and its sender would send it again.
            for part in &mut parts {
                let can_refuse =
                    part.routed.flow_control || running.targets[part.routed.target].is_logspace();
                part.refusal = can_refuse.then(|| running.refusal(part.routed.target)).flatten();
            }
            if receipt.is_impatient()
                && let Some(reason) = parts.iter().find_map(|part| part.refusal.as_deref())
            {
                receipt.fail(reason);
                return;
            }
        }
        hand_over(&running, batch, parts, receipt);
    }

    fn store(&self, logspace: &str, batch: Arc<Batch>, had: &[JournalId], receipt: &Receipt) {
        if had.contains(&JournalId::Logspace(logspace.into())) {
            receipt.repeated(batch.rows());
            return;
        }
        match self.running.load().logspaces.get(logspace) {
            Some(logspace) => {
                let claim = CountClaim::all(batch.rows());
                let encoded = encode(batch);
                encoded.prepare_for_search();
                logspace.append(Append { encoded, pending: receipt.pending(), claim, may_drop: false });
            }
            None => receipt.fail("the logspace was removed from the router document"),
        }
    }
}

/// Makes a batch wait for another attempt that stores some of its messages: if that attempt fails, they have to be
/// sent again.
fn follow(receipt: &Receipt, other: &BatchAttempt) {
    let pending = receipt.pending();
    other.when_ended(move |is_taken| {
        if is_taken {
            pending.done();
        } else {
            pending.fail("the earlier request that this one repeats could not be stored: send it again");
        }
    });
}

/// The part of a batch for one target.
struct TargetPart<'a> {
    routed: RoutedTo,
    claim: CountClaim,
    copies: Copies<'a>,
    /// Why the target accepts nothing for now, if that is so and the sender waits for it.
    refusal: Option<String>,
}

/// Hands over the parts of a batch. If its sender waits and would send again after a failure, targets that accept
/// nothing for now come first, and logspaces get their parts after every destination: if one target cannot accept its
/// part, the others get nothing, so that they do not get the batch once per attempt.
fn hand_over(running: &RunningState, batch: &Arc<Batch>, parts: Vec<TargetPart<'_>>, receipt: &Receipt) {
    // Rows that several targets get are encoded once; copies are encoded separately from their originals.
    let mut done: Vec<(Arc<Batch>, EncodedBatch)> = Vec::new();
    let mut turns: BTreeMap<HandoverOrder, Vec<TargetDelivery>> = BTreeMap::new();
    for TargetPart { routed, claim, copies, refusal } in parts {
        let own = match routed.batch {
            Some(changed) => changed,
            None if routed.rows.is_all() => batch.clone(),
            None => Arc::new(batch.take(&routed.rows)),
        };
        let own = noted(own, &copies);
        let encoded = match done.iter().find(|(other, _)| Arc::ptr_eq(other, &own)) {
            Some((_, encoded)) => encoded.clone(),
            None => {
                let encoded = encode(own.clone());
                done.push((own, encoded.clone()));
                encoded
            }
        };
        let (to, flow_control) = (running.targets[routed.target].clone(), routed.flow_control);
        if to.is_logspace() {
            encoded.prepare_for_search();
        }
        let turn = HandoverOrder { takes_now: refusal.is_none(), is_logspace: to.is_logspace() };
        let delivery = TargetDelivery { to, encoded, claim, flow_control, pending: receipt.pending() };
        turns.entry(turn).or_default().push(delivery);
    }
    let can_fail =
        |turn: &HandoverOrder, delivery: &TargetDelivery| delivery.flow_control && !turn.is_logspace;
    let comes_again = receipt.is_awaited()
        && turns
            .iter()
            .any(|(turn, of)| !turn.takes_now || of.iter().any(|delivery| can_fail(turn, delivery)));
    if comes_again {
        in_turn(turns.into_values());
    } else {
        turns.into_values().rev().flatten().for_each(TargetDelivery::go);
    }
}

/// The order in which targets get their parts: smaller values come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HandoverOrder {
    takes_now: bool,
    is_logspace: bool,
}

/// Hands over the first parts, and each of the others once all before it are done.
fn in_turn(turns: impl DoubleEndedIterator<Item = Vec<TargetDelivery>>) {
    turns.rev().fold(None, |behind: Option<Sequel>, mut deliveries| {
        if let Some(sequel) = &behind {
            deliveries.iter_mut().for_each(|delivery| delivery.pending.come_before(sequel));
        }
        Some(Sequel::new(move || deliveries.into_iter().for_each(TargetDelivery::go)))
    });
}

/// Counts the messages of steps.
struct StepCounter<'a>(&'a [RouteCount]);

impl Watch for StepCounter<'_> {
    fn step(&mut self, at: &StepEvent<'_>) {
        let Some(counters) = self.0.get(at.route).and_then(|route| route.steps.get(at.step)) else { return };
        counters.messages.add(at.concerned.count());
        counters.changed.add(at.changed.count());
        counters.dropped.add(at.dropped.count());
        counters.failed.add(at.failed.count());
    }
}

/// The data needed to parse the frames of a chunk.
struct ChunkReader<'a> {
    chunk: &'a Chunk,
    source: &'a str,
    parser: &'a Parser,
    received: Timestamp,
}

/// Parses the frames of a chunk into a batch; also returns how many of them triggered a bug in the parser. Those are
/// kept as they were received, flagged as unparsed.
fn parse(reading: &ChunkReader<'_>, builder: &mut BatchBuilder) -> (Batch, usize) {
    let parser = reading.parser;
    parse_by(reading, &|frame, known, builder| parser.parse(frame, known, builder), builder)
}

fn parse_by(
    reading: &ChunkReader<'_>,
    parse: &dyn Fn(&[u8], FrameContext<'_>, &mut BatchBuilder),
    builder: &mut BatchBuilder,
) -> (Batch, usize) {
    if let Some(batch) = survives(|| read_all(reading, parse, builder)) {
        return (batch, 0);
    }
    *builder = BatchBuilder::new();
    let failures = AtomicUsize::new(0);
    let parse = |frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder| {
        // Tried on its own first, so that an incomplete row is never left behind.
        if survives(|| parse(frame, known, &mut BatchBuilder::new())).is_some() {
            parse(frame, known, builder);
        } else {
            failures.fetch_add(1, Ordering::Relaxed);
            reading.parser.keep(frame, known, builder);
        }
    };
    (read_all(reading, &parse, builder), failures.into_inner())
}

/// The result of a call that may contain a bug; `None` if it panics.
fn survives<T>(action: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(action)).ok()
}

fn read_all(
    reading: &ChunkReader<'_>,
    parse: &dyn Fn(&[u8], FrameContext<'_>, &mut BatchBuilder),
    builder: &mut BatchBuilder,
) -> Batch {
    let ChunkReader { chunk, source, received, .. } = *reading;
    builder.reserve(chunk.frames.len(), chunk.bytes.len());
    let mut senders = chunk.senders.iter().peekable();
    let mut known = FrameContext::at(received);
    for (index, frame) in chunk.frames.iter().enumerate() {
        if let Some((_, sender)) = senders.next_if(|(first, _)| *first as usize <= index) {
            known.peer = sender.host.as_bytes();
            known.written = sender.written.unwrap_or(received);
            known.field = sender.field.as_ref().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            let (source, peer) = (source.as_bytes(), sender.address.as_bytes());
            builder.origin(Origin { source, peer, received });
        }
        known.flags = frame.flags;
        parse(&chunk.bytes[frame.start as usize..frame.end as usize], known, builder);
    }
    builder.seal()
}

fn note_failures(failures: usize, source: &str, counters: &SourceCounters) {
    if 0 < failures {
        counters.parser_failures.add(failures);
        tracing::error!(
            source,
            messages = failures,
            "a bug in a parser: messages are kept unparsed; please report it"
        );
    }
}

/// Updates the counters of the status, after the ledger has recorded the messages: a message counted in the status is
/// always known to the ledger.
fn count(batch: &Batch, bytes: usize, counters: &SourceCounters) {
    let mut flags = [0_usize; 1 << Flags::NAMES.len()];
    for &of_row in batch.columns().flags() {
        flags[usize::from(of_row) % (1 << Flags::NAMES.len())] += 1;
    }
    let with = |flag: Flags| {
        flags.iter().enumerate().filter(|(set, _)| Flags(*set as u8).has(flag)).map(|(_, rows)| rows).sum()
    };
    counters.messages.add(batch.rows());
    counters.bytes.add(bytes);
    counters.unparsed.add(with(Flags::UNPARSED));
    counters.truncated.add(with(Flags::TRUNCATED));
    counters.incomplete.add(with(Flags::INCOMPLETE));
    counters.undelimited.add(with(Flags::UNDELIMITED));
    let out_of_step = with(Flags::OUT_OF_STEP);
    if 0 < out_of_step {
        counters.out_of_step.add(out_of_step);
        let is_lost = |row: &usize| batch.flags(*row).has(Flags::OUT_OF_STEP);
        let bytes = (0..batch.rows()).filter(is_lost).map(|row| batch.message(row).len()).sum();
        counters.out_of_step_bytes.add(bytes);
    }
    let Some(last) = batch.rows().checked_sub(1) else { return };
    let received = batch.received(last);
    counters.last_seen.store(received.nanos(), Ordering::Relaxed);
    if let Some(time) = batch.own_time(last) {
        *counters.skew.lock() = Some(received.nanos().saturating_sub(time.nanos()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;
    use logstead_config::SourceFormat;
    use logstead_flow::chunk::MessageSender;
    use logstead_syslog::format::SyslogParser;
    use logstead_syslog::framing::Frame;

    /// A chunk with these frames from one sender.
    fn chunk(texts: &[&str]) -> Chunk {
        let mut end = 0;
        let frames = texts.iter().map(|text| {
            let start = end;
            end += text.len() as u32;
            Frame { start, end, flags: Flags::default() }
        });
        Chunk::of(
            texts.concat().into_bytes(),
            frames.collect(),
            &MessageSender::at([10, 0, 0, 9].into(), "tcp"),
        )
    }

    #[test]
    fn a_bug_of_a_parser_loses_no_message() {
        let chunk = chunk(&["<13>first", "<13>poison", "<13>last"]);
        let parser = Parser::Syslog(SyslogParser::new(SourceFormat::Auto, TimeZone::UTC));
        let received = Timestamp::from_nanos(0);
        let reading = ChunkReader { chunk: &chunk, source: "tcp", parser: &parser, received };
        let parse = |frame: &[u8], known: FrameContext<'_>, builder: &mut BatchBuilder| {
            builder.field(b"half", b"of a row");
            assert!(!frame.ends_with(b"poison"), "a bug");
            builder.forget_fields();
            parser.parse(frame, known, builder);
        };
        let mut builder = BatchBuilder::new();
        let (batch, failures) = parse_by(&reading, &parse, &mut builder);
        let rows = || 0..batch.rows();
        let messages: Vec<_> = rows().map(|row| batch.message(row).escape_ascii().to_string()).collect();
        assert_eq!((messages, failures), (vec!["first".into(), "<13>poison".into(), "last".into()], 1));
        let unparsed: Vec<_> = rows().filter(|&row| batch.field_range(row).is_empty()).collect();
        assert_eq!(unparsed, [0, 1, 2], "nothing of the half row is left");
        assert!(batch.flags(1).has(Flags::UNPARSED));
        assert_eq!(super::parse(&reading, &mut builder).1, 0, "the builder can go on");
    }
}

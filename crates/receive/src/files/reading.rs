//! Reads the files of a [`Follower`], a round at a time.
//!
//! **Invariant:** the place of a file changes only once everything before it was stored.

use super::file::FileRead;
use super::follower::Follower;
use super::round::{Round, RoundStep};
use logstead_flow::chunk::{Chunk, MessageSender};
use std::ops::Bound;
use std::time::{Duration, Instant};

/// The maximum size of a round.
const ROUND_BYTES_MAX: usize = 1 << 20;
/// The time for which a file that has lost its name must stay unchanged before it counts as complete.
pub(super) const ROTATED_WAIT: Duration = Duration::from_secs(10);

impl Follower {
    /// Continues to read every file that has more, until the round is full.
    pub(super) fn read(&mut self, line_max: usize, now: Instant, round: &mut Round) {
        let behind = self.files.range((Bound::Excluded(self.last_read), Bound::Unbounded));
        let before = self.files.range(..=self.last_read);
        let order: Vec<u64> = behind.chain(before).map(|(number, _)| *number).collect();
        for number in order {
            self.read_file(number, line_max, now, round);
            if ROUND_BYTES_MAX <= round.frames.bytes.len() {
                self.last_read = number;
                return;
            }
        }
        self.last_read = 0;
    }

    fn read_file(&mut self, number: u64, line_max: usize, now: Instant, round: &mut Round) {
        let Some(after) = self.files.get(&number).map(|file| file.after) else { return };
        if after.and_then(|before| self.files.get(&before)).is_some_and(|before| before.has_more) {
            return;
        }
        let Some(file) = self.files.get_mut(&number) else { return };
        file.after = None;
        let is_last = file.rotated && ROTATED_WAIT <= now.saturating_duration_since(file.changed);
        if !file.has_more && !is_last {
            return;
        }
        let bytes_max = ROUND_BYTES_MAX.saturating_sub(round.frames.bytes.len()).max(line_max + 1);
        match file.read(bytes_max, line_max, is_last) {
            Ok(read) => {
                file.failing = false;
                self.take(number, read, round);
            }
            Err(error) => {
                if !std::mem::replace(&mut file.failing, true) {
                    round.complaints.push(format!("{}: {error}", file.path.display()));
                }
                if file.gone && is_last {
                    self.remove(number, now);
                }
            }
        }
    }

    fn take(&mut self, number: u64, read: FileRead, round: &mut Round) {
        let Some(file) = self.files.get_mut(&number) else { return };
        let FileRead { bytes, frames, skipped_bytes, next, at_end, finished, begun_again, written } = read;
        if begun_again {
            let path = file.path.display();
            round
                .notes
                .push(format!("{path}: it was truncated or rewritten, and is read from its beginning"));
        }
        if !frames.is_empty() {
            let sender = MessageSender { written, ..file.sender.clone() };
            round.frames.append(Chunk::of(bytes, frames, &sender));
        }
        if at_end && !finished && next == file.place {
            file.has_more = false;
        } else {
            round.steps.push(RoundStep { number, next, skipped_bytes, at_end, finished });
        }
    }

    /// Called when everything of a round is stored.
    pub(super) fn advance(&mut self, round: Round, now: Instant) {
        for RoundStep { number, next, at_end, finished, .. } in round.steps {
            let Some(file) = self.files.get_mut(&number) else { continue };
            self.changed |= file.place != next;
            file.place = next;
            file.has_more = !at_end;
            if finished && file.gone {
                self.remove(number, now);
            } else if finished {
                file.rotated = false;
            }
        }
    }
}

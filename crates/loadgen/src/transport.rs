//! The interface of the transports: a connection that accepts frames and can be re-established when it breaks.

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition};
use super::latency::Latencies;
use std::time::Duration;

/// One connection to the receiver.
pub(super) trait Transport {
    /// Connects or reconnects.
    fn connect(&mut self) -> Result<(), ConnectionError>;

    /// Sends pending frames, and marks those that were sent. The rest stays pending if the time is up, the connection
    /// breaks, or the receiver asks to wait.
    fn send(
        &mut self,
        chunk: &mut FrameChunk,
        until: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError>;

    /// Waits while no messages are due.
    fn wait(&mut self, pause: Duration, _counts: &ConnectionCounts) -> Result<(), ConnectionError> {
        std::thread::sleep(pause);
        Ok(())
    }

    /// Waits for outstanding acknowledgements, and closes the connection.
    fn finish(&mut self, counts: &ConnectionCounts) -> Result<(), ConnectionError>;

    /// The times that acknowledgements took, if the transport has acknowledgements.
    fn latencies(&self) -> Option<&Latencies> {
        None
    }
}

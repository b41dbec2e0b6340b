//! VictoriaLogs, if it speaks the same protocol: runs its binary with a fresh folder, and measures its CPU time.

use crate::server::cpu_micros;
use anyhow::{Context as _, Result, ensure};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const START_WAIT_MAX: Duration = Duration::from_secs(20);
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// It has finished when it has used less than a hundredth of a core for this long.
const IDLE: Duration = Duration::from_secs(2);
const IDLE_WAIT_MAX: Duration = Duration::from_secs(60);

/// A running VictoriaLogs, killed when this is dropped.
pub(super) struct VictoriaLogs {
    child: Child,
    address: SocketAddr,
}

impl VictoriaLogs {
    pub(super) fn start(binary: &Path, data: &Path) -> Result<VictoriaLogs> {
        if data.exists() {
            std::fs::remove_dir_all(data)?;
        }
        // It requires a port number, and cannot choose a free port itself.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut command = Command::new(binary);
        command.arg(format!("-storageDataPath={}", data.display()));
        command.arg(format!("-httpListenAddr={address}")).arg("-retentionPeriod=10y");
        command.args(["-loggerLevel=ERROR", "-opentelemetry.maxRequestSize=64MB"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let this = VictoriaLogs { child: child.with_context(|| binary.display().to_string())?, address };
        let start = Instant::now();
        while ureq::get(this.url("/health")).call().is_err() {
            ensure!(start.elapsed() < START_WAIT_MAX, "VictoriaLogs does not start");
            std::thread::sleep(LOOK_INTERVAL);
        }
        Ok(this)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn cpu_micros(&self) -> Result<u64> {
        cpu_micros(&self.child.id().to_string(), [11, 12])
    }

    /// Waits until it has written the messages that it accepted, which it does after answering.
    pub(super) fn settle(&self) -> Result<()> {
        let start = Instant::now();
        loop {
            let before = self.cpu_micros()?;
            std::thread::sleep(IDLE);
            if self.cpu_micros()? - before < IDLE.as_micros() as u64 / 100 || IDLE_WAIT_MAX < start.elapsed()
            {
                return Ok(());
            }
        }
    }

    /// The number of messages that it finds.
    pub(super) fn found(&self) -> Result<u64> {
        let url = self.url("/select/logsql/query?query=*%20|%20stats%20count()%20as%20n");
        let answer: serde_json::Value = ureq::get(url).call()?.body_mut().read_json()?;
        let count = answer["n"].as_str().and_then(|count| count.parse().ok());
        count.context("an answer of VictoriaLogs without a count")
    }
}

impl Drop for VictoriaLogs {
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

//! The forms in which commands print a message: as text, JSON or CSV, or as received.

use super::failure::Result;
use super::text::{self, csv, shown};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use serde_json::Value;

/// The columns of CSV.
const COLUMNS: [&str; 9] =
    ["id", "time", "received", "host", "program", "pid", "severity_name", "facility_name", "message"];

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum OutputFormat {
    /// `TIME HOST PROGRAM[PID]: MESSAGE`
    Text,
    /// A JSON object per line
    Json,
    /// Comma-separated, with a header row
    Csv,
    /// The bytes as received
    Raw,
}

impl OutputFormat {
    pub(super) fn print_all(self, messages: &[Value]) -> Result<()> {
        if let OutputFormat::Csv = self {
            text::line(&csv(COLUMNS.into_iter()))?;
        }
        messages.iter().try_for_each(|message| self.print_line(message))
    }

    /// Prints a message. The received bytes need not be text.
    pub(super) fn print_line(self, message: &Value) -> Result<()> {
        let exact = message["raw_base64"].as_str().and_then(|text| STANDARD.decode(text).ok());
        match (self, exact) {
            (OutputFormat::Raw, Some(bytes)) => text::bytes(&bytes),
            _ => text::line(&self.print(message)),
        }
    }

    fn print(self, message: &Value) -> String {
        let text = |name: &str| message[name].as_str().unwrap_or_default();
        match self {
            OutputFormat::Json => message.to_string(),
            OutputFormat::Raw => text("raw").to_owned(),
            OutputFormat::Csv => csv(COLUMNS.iter().map(|name| text(name))),
            OutputFormat::Text => {
                let pid = text("pid");
                let pid = if pid.is_empty() { String::new() } else { format!("[{pid}]") };
                let program = text("program");
                let colon = if program.is_empty() { "" } else { ": " };
                let message = shown(text("message"));
                format!("{} {} {program}{pid}{colon}{message}", text("time"), text("host"))
            }
        }
    }
}
